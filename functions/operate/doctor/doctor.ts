/**
 * Looks a pipeline over: what is wrong, or about to be, and what to do about it. Each check asks one question; one that cannot
 * be asked says so, and the others go on.
 */
import { messageOf } from '../../model/errors.ts';
import { describeInstant, type EpochMillis, MIN_TIMESTAMP } from '../../model/time.ts';
import { enrichState } from '../../engine/enrich/enrich-state.ts';
import { sinkState } from '../../engine/sink/sink-work.ts';
import { misfits, storedShape } from '../../plan/stored-shape.ts';
import type { Plan } from '../../plan/plan.ts';
import { QUERIES } from '../../ports/queries.ts';
import type { Store } from '../../ports/store.ts';
import { openEnvelopes } from '../status/open-ranges.ts';
import { modelStatus } from '../status/model-status.ts';
import { drainOf, pausesOf } from '../status/standing-orders.ts';
import { rootsOfStage, type Survey } from '../status/survey.ts';
import { examineViews } from '../views/view-doctor.ts';
import { viewReports } from '../views/view-report.ts';

export interface Diagnosis {
  /** What was asked, e.g. `indexes`. */
  readonly check: string;
  /** `unknown`: it could not be asked, and the sentence says why. */
  readonly severity: 'ok' | 'unknown' | 'warning' | 'error';
  readonly sentence: string;
  /** What to do, the first choice first. */
  readonly remedies: readonly string[];
}

/** A question beyond the store: topics, subscriptions, grants, functions. Nothing found = all is well. */
export interface OutsideCheck {
  readonly check: string;
  run(): Promise<readonly Found[]>;
}

export interface Patient {
  readonly store: Store;
  readonly survey: Survey;
  readonly plan: Plan | undefined;
  readonly outside: readonly OutsideCheck[];
}

export type Found = Omit<Diagnosis, 'check'>;
type Check = (patient: Patient) => readonly Found[] | Promise<readonly Found[]>;

const MINUTE = 60_000;
/** An idle pipeline is swept each minute. */
const NOT_SWEPT = 5 * MINUTE;
/** An envelope is sent again after 1, 2, 4 … minutes; one this old was sent again several times. */
const NEVER_SETTLES = 15 * MINUTE;
/** A root that was written so far ahead of this clock. */
const SKEW = MINUTE;

const CHECKS: Readonly<Record<string, Check>> = {
  indexes: ({ store }) => queriesWork(store),
  sweeps: ({ survey }) => sweeps(survey),
  clock: ({ survey }) => clock(survey),
  envelopes: ({ survey }) => envelopes(survey),
  claims: ({ survey }) => claims(survey),
  upgrade: ({ survey, plan }) => upgrade(survey, plan),
  pauses: ({ survey }) => pausesOf(survey),
  drain: ({ survey }) => drainOf(survey),
  models: ({ survey, plan }) => models(survey, plan),
  views: ({ survey, plan }) => views(survey, plan),
};

/** Every check with at least one diagnosis, in order. */
export async function examine(patient: Patient): Promise<Diagnosis[]> {
  const diagnoses: Diagnosis[] = [];
  const asked = [
    ...Object.entries(CHECKS).map(([check, run]) => ({ check, run: async () => run(patient) })),
    ...patient.outside,
  ];
  for (const { check, run } of asked) {
    const found = await run().catch((error: unknown): Found[] => [
      { severity: 'unknown', sentence: `could not be checked: ${messageOf(error)}`, remedies: [] },
    ]);
    const whole = found.length > 0 ? found : [{ severity: 'ok', sentence: 'nothing is wrong', remedies: [] } as const];
    diagnoses.push(...whole.map((each) => ({ check, ...each })));
  }
  return diagnoses;
}

/** A query without its index is refused, so each is made once. */
async function queriesWork(store: Store): Promise<Found[]> {
  const found: Found[] = [];
  for (const query of QUERIES) {
    const equals = Object.fromEntries(query.equal.map((field) => [field, 'doctor']));
    try {
      await store.query(query, equals, { limit: 1 });
    } catch (error) {
      const [reason] = messageOf(error).split('\n');
      found.push({
        severity: 'error',
        sentence: `the query '${query.name}' cannot be made: ${reason}`,
        remedies: ['deploy the indexes again; a new one takes some minutes to be built'],
      });
    }
  }
  return found;
}

function sweeps({ lastSweep, now }: Survey): Found[] {
  if (now - lastSweep < NOT_SWEPT) return [];
  const sentence =
    lastSweep === MIN_TIMESTAMP ? 'no sweep has ever run' : `the last sweep ran at ${describeInstant(lastSweep)}`;
  const remedies = [
    'see whether Cloud Scheduler’s job runs and may call the sweep',
    'see the errors of the sweep in the log',
  ];
  return [
    { severity: 'error', sentence: `${sentence}; watermarks stand, and nothing that was lost is sent again`, remedies },
  ];
}

function clock({ roots, now }: Survey): Found[] {
  return [...roots.values()]
    .filter(({ written }) => written > now + SKEW)
    .map(({ id, written }) => ({
      severity: 'warning' as const,
      sentence: `${id} was written at ${describeInstant(written)}, which is yet to come by the clock here`,
      remedies: [
        'set the clock of this machine',
        'if it is right, an instance’s clock was ahead; its processing time never steps back',
      ],
    }));
}

function envelopes(survey: Survey): Found[] {
  return survey.shape.stages.flatMap(({ id }) => {
    if (survey.paused[id] !== undefined) return [];
    const old = openEnvelopes(survey, id).filter(({ range }) => survey.now - range.born > NEVER_SETTLES);
    const [first] = old;
    if (first === undefined) return [];
    const count = old.reduce((sum, each) => sum + each.count, 0);
    return [
      {
        severity: 'error' as const,
        sentence: `${count} envelopes for '${id}' are not taken, the oldest (${first.sender}#${first.first}) since ${describeInstant(first.range.born)}, though they were sent again`,
        remedies: [
          `see the errors of stage '${id}' in the log`,
          `see whether its subscription pushes, and its function answers`,
        ],
      },
    ];
  });
}

function claims(survey: Survey): Found[] {
  return survey.shape.stages.flatMap(({ id, kind }) =>
    rootsOfStage(survey, id).flatMap((root) => {
      const leases = kind === 'enrich' ? enrichState(root).batches.map(({ claim }) => claim?.lease) : [];
      if (kind === 'writeBigQuery') leases.push(sinkState(root).claim?.lease);
      const over = leases.filter(
        (lease): lease is EpochMillis => lease !== undefined && lease + NOT_SWEPT < survey.now,
      );
      if (over.length === 0) return [];
      return [
        {
          severity: 'warning' as const,
          sentence: `${over.length} claims of ${root.id} ran out at ${describeInstant(over[0]!)}, and nobody has taken them over`,
          remedies: [
            `see the errors of stage '${id}' in the log`,
            'they are taken over with the next tick or envelope of the shard',
          ],
        },
      ];
    }),
  );
}

function upgrade({ topology, pipeline }: Survey, plan: Plan | undefined): Found[] {
  if (topology?.startingAfresh)
    return [
      {
        severity: 'error',
        sentence: `a fresh start has begun, as epoch ${topology.epoch}, and is not through; nothing new is read`,
        remedies: ['deploy it again, which goes on with the fresh start; so does millrace restart'],
      },
    ];
  if (plan === undefined) return [];
  if (topology === undefined)
    return [
      {
        severity: 'warning',
        sentence: 'it is not noted which version is deployed, so no upgrade is held against it',
        remedies: [
          'millrace admit, with the code that is deployed at hand (npm run deploy and the gcloud script do so)',
        ],
      },
    ];
  return misfits(topology.shape, storedShape(plan)).map((problem) => ({
    severity: 'error',
    sentence: `the code at hand does not fit what is stored: ${problem}`,
    remedies: [`drain '${pipeline}' first: millrace drain`, 'give the new version a name of its own'],
  }));
}

/** A model that is asked more slowly than its author allows, since it has said that it is too much. */
function models(survey: Survey, plan: Plan | undefined): Found[] {
  return survey.shape.stages.flatMap(({ id, kind, shards }) => {
    if (kind !== 'enrich') return [];
    const { rate, waiting, calling, counters } = modelStatus(rootsOfStage(survey, id).map(enrichState));
    const head = plan?.stages.find((stage) => stage.id === id)?.head;
    const allowed = head?.kind === 'enrich' ? head.requestsPerMinute : undefined;
    const asked = rootsOfStage(survey, id).filter((root) => enrichState(root).bucket !== undefined).length;
    const slow = rate !== null && allowed !== undefined && rate < (allowed * asked) / shards / 2;
    if (!slow || waiting + calling === 0) return [];
    const sentence = `the model of '${id}' is asked ${Math.round(rate)} times a minute, not ${allowed}, since it answers 429 (${counters.throttled} of ${counters.calls} calls so far); ${waiting} batches wait`;
    return [
      {
        severity: 'warning' as const,
        sentence,
        remedies: [
          'nothing is lost, and the rate rises again by itself',
          'ask for more quota',
          `lower requestsPerMinute of '${id}'`,
        ],
      },
    ];
  });
}

function views(survey: Survey, plan: Plan | undefined): Found[] {
  if (plan === undefined) return [];
  return examineViews(viewReports(plan, survey), survey.now).map(({ view, severity, sentence, remedies }) => ({
    severity,
    sentence: `view '${view}': ${sentence}`,
    remedies,
  }));
}
