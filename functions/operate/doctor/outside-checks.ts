/**
 * What a deployment has beside its documents, held against the manifest of the code: topics, subscriptions, functions, the
 * sweep's job, tables, grants. One that nobody stands in for (on the emulators) says so; none is silently left out.
 */
import type { Manifest } from '../../plan/manifest.ts';
import { NotHere } from '../../cloud/deployment/google-api.ts';
import type { DeployedParts } from '../../cloud/deployment/deployed-parts.ts';
import type { ManifestSubscription } from '../../plan/delivery.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Backlog } from '../../ports/backlog.ts';
import type { Survey } from '../status/survey.ts';
import { checkBacklog } from './check-backlog.ts';
import { checkFunctions, checkSweepJob } from './check-functions.ts';
import { checkGrants } from './check-grants.ts';
import { checkQuotas } from './check-quotas.ts';
import type { Found, OutsideCheck } from './doctor.ts';

export interface OutsideSetting {
  readonly manifest: Manifest;
  readonly plan: Plan;
  readonly parts: DeployedParts;
  /** Absent where nobody stands in for Cloud Monitoring. */
  readonly backlog: Backlog | undefined;
  readonly project: string;
  readonly region: string;
  readonly survey: Survey;
  /** Whether the emulators stand in for the cloud: there a relay pushes in Pub/Sub's place. */
  readonly emulators: boolean;
}

const DEPLOY = 'deploy it again';

export function outsideChecks(setting: OutsideSetting): OutsideCheck[] {
  const checks: Readonly<Record<string, (setting: OutsideSetting) => Promise<readonly Found[]>>> = {
    topics: checkTopics,
    subscriptions: checkSubscriptions,
    backlog: checkBacklog,
    tables: checkTables,
    functions: checkFunctions,
    scheduler: checkSweepJob,
    grants: checkGrants,
    quotas: checkQuotas,
  };
  return Object.entries(checks).map(([check, run]) => ({
    check,
    run: () =>
      run(setting).catch((error: unknown) => {
        if (!(error instanceof NotHere)) throw error;
        return [{ severity: 'unknown', sentence: `not checked: ${error.message}`, remedies: [] } as const];
      }),
  }));
}

async function checkTopics({ manifest, parts }: OutsideSetting): Promise<Found[]> {
  const found = await Promise.all(
    manifest.topics.map(async ({ name, kind }): Promise<Found[]> => {
      if (await parts.hasTopic(name)) return [];
      const sentence = `topic '${name}' is not there: ${LOST[kind]}`;
      return [{ severity: 'error', sentence, remedies: [`${DEPLOY}, which makes it`] }];
    }),
  );
  return found.flat();
}

const LOST: Readonly<Record<Manifest['topics'][number]['kind'], string>> = {
  stage: 'what is sent to its stage fails to be published and waits in the outbox',
  source: 'nobody can publish to the source',
  sink: 'results for it wait in the outbox',
  deadLetters: 'dead letters are written and not announced',
  undelivered: 'what Pub/Sub gives up goes nowhere',
};

async function checkSubscriptions(setting: OutsideSetting): Promise<Found[]> {
  const { manifest } = setting;
  return (await Promise.all(manifest.subscriptions.map((each) => checkSubscription(setting, each)))).flat();
}

async function checkSubscription(setting: OutsideSetting, expected: ManifestSubscription): Promise<Found[]> {
  const { name, topic, ackDeadlineSeconds, deadLetter } = expected;
  const there = await setting.parts.subscription(name);
  const error = (sentence: string): Found => ({
    severity: 'error',
    sentence: `subscription '${name}' ${sentence}`,
    remedies: [DEPLOY],
  });
  if (there === undefined) return [error(`is not there: what is published to '${topic}' is lost to it`)];
  const found: Found[] = [];
  if (there.topic === '_deleted-topic_') found.push(error(`is of a topic that was deleted; nothing comes any more`));
  else if (there.topic !== topic) found.push(error(`is of topic '${there.topic}', not '${topic}'`));
  if (there.ackDeadlineSeconds !== ackDeadlineSeconds)
    found.push(
      error(
        `waits ${there.ackDeadlineSeconds} s for an acknowledgement, not ${ackDeadlineSeconds} s: ${
          there.ackDeadlineSeconds < ackDeadlineSeconds
            ? 'a message comes again while a function still works on it'
            : 'a message whose function died comes again late'
        }`,
      ),
    );
  if (deadLetter !== null && there.deadLetter?.topic !== deadLetter.topic)
    found.push(
      error(
        `gives what cannot be delivered to ${there.deadLetter === null ? 'nobody' : `topic '${there.deadLetter.topic}'`}, not to '${deadLetter.topic}'`,
      ),
    );
  else if (deadLetter !== null && there.deadLetter?.maxDeliveryAttempts !== deadLetter.maxDeliveryAttempts)
    found.push(
      error(
        `gives up after ${there.deadLetter?.maxDeliveryAttempts} attempts, not ${deadLetter.maxDeliveryAttempts}; “no instance is free” counts as one`,
      ),
    );
  return setting.emulators ? found : [...found, ...checkEndpoint(setting, expected, there.pushEndpoint)];
}

function checkEndpoint(
  { manifest, survey }: OutsideSetting,
  { name, kind, push }: ManifestSubscription,
  endpoint: string | null,
): Found[] {
  if (push === null) return [];
  const stage = stageOf(name);
  const paused = kind === 'stage' && stage !== undefined ? survey.paused[stage] : undefined;
  // Of a stage that is half paused either is right; the check of pauses says so.
  const isHalf = paused?.step !== undefined;
  const isOff = kind === 'source' ? survey.drain !== undefined : paused !== undefined;
  if (endpoint === null) {
    if (isOff) return [];
    const sentence = `subscription '${name}' pushes to nobody, though it is neither paused nor drained; what comes waits`;
    return [{ severity: 'error', sentence, remedies: [DEPLOY] }];
  }
  const functionName = manifest.functions.find(({ id }) => id === push.function)!.name;
  const { hostname, pathname } = new URL(endpoint);
  const isThere =
    (hostname.startsWith(functionName) || pathname.includes(functionName)) && pathname.endsWith(push.path);
  if (isThere && (!isOff || isHalf)) return [];
  const sentence = isThere
    ? `subscription '${name}' pushes, though it was paused or drained`
    : `subscription '${name}' pushes to ${endpoint}, not to ${push.path} of function '${functionName}'`;
  const again =
    kind === 'source'
      ? ['millrace drain, which stops it again']
      : [`millrace pause ${stage}, which stops it again`, `millrace resume ${stage}`];
  return [{ severity: 'error', sentence, remedies: isThere ? again : [DEPLOY] }];
}

/** Of a stage's subscription: `millrace-{pipeline}--{stage}--{slot}`. */
function stageOf(subscription: string): string | undefined {
  return subscription.split('--').at(-2);
}

async function checkTables({ manifest, parts, emulators }: OutsideSetting): Promise<Found[]> {
  const found = await Promise.all(
    manifest.tables.map(async ({ dataset, name, schema }): Promise<Found[]> => {
      const where = `${dataset ?? manifest.dataset}.${name}`;
      const columns = await parts.columns(dataset ?? manifest.dataset, name);
      if (columns === undefined)
        return [
          emulators
            ? {
                severity: 'warning',
                sentence: `table ${where} is not there yet; its first flush makes it`,
                remedies: [],
              }
            : {
                severity: 'error',
                sentence: `table ${where} is not there; its rows wait, and its first flush makes it where it may`,
                remedies: [DEPLOY],
              },
        ];
      return schema.flatMap(({ name: column, type }): Found[] => {
        const is = columns.get(column);
        if (is === type) return [];
        const sentence =
          is === undefined
            ? `table ${where} has no column '${column}'; the next flush adds it`
            : `column '${column}' of table ${where} is ${is}, and the pipeline writes ${type}`;
        const remedies = is === undefined ? [DEPLOY] : [`make a new table, or write '${column}' as ${is}`];
        return [{ severity: is === undefined ? 'warning' : 'error', sentence, remedies }];
      });
    }),
  );
  return found.flat();
}
