import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeployedParts } from '../../functions/cloud/deployment/deployed-parts.ts';
import { GOOGLE_APIS, GoogleApiReader } from '../../functions/cloud/deployment/google-api.ts';
import { NO_WATERMARKS } from '../../functions/engine/protocol/watermarks.ts';
import { type EpochMillis, type Millis, MIN_TIMESTAMP } from '../../functions/model/time.ts';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import { checkQuotas } from '../../functions/operate/doctor/check-quotas.ts';
import type { Found } from '../../functions/operate/doctor/doctor.ts';
import { deployedShape } from '../../functions/operate/doctor/deployed-shape.ts';
import { outsideChecks } from '../../functions/operate/doctor/outside-checks.ts';
import type { Survey } from '../../functions/operate/status/survey.ts';
import { plan } from '../../functions/plan/plan.ts';
import { storedShape } from '../../functions/plan/stored-shape.ts';
import scoredPipeline from '../cli/scored-pipeline.ts';
import visits from '../cli/visits-pipeline.ts';

const PROJECT = 'my-project';
const RATES =
  'unknown: not checked: quotas that follow the rate of events, of Pub/Sub, Firestore, BigQuery, and what of each others use';
const REGION = 'us-central1';
const planned = plan(visits);
const manifest = deploymentManifest(planned, { topology: 3, epoch: 2 });
/** Accounts have at most 30 characters. */
const SHORTENED: Readonly<Record<string, string>> = { 'ingest--visits': 'millrace-visits--ingest-7004ff' };
const account = (id: string) =>
  `serviceAccount:${SHORTENED[id] ?? `millrace-visits--${id}`}@${PROJECT}.iam.gserviceaccount.com`;
const AGENT = 'serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com';

/** Google's APIs as they answer for the pipeline when all is well; tests change what they need. */
let answers: Map<string, { status: number; body: unknown }>;
/** What was sent with requests that have a body, by path. */
let bodies: Map<string, string>;
let server: Server;
let base: string;

const put = (path: string, body: unknown, status = 200) => void answers.set(path, { status, body });
const inProject = (path: string) => `/projects/${PROJECT}/${path}`;
const servicePath = (name: string) => inProject(`locations/${REGION}/services/${name}`);
const subscriptionPath = (name: string) => inProject(`subscriptions/${name}`);

/** What a subscription of the manifest looks like in Pub/Sub's own words. */
function subscriptionOf(name: string): Record<string, unknown> {
  const { topic, ackDeadlineSeconds, push, deadLetter } = manifest.subscriptions.find((each) => each.name === name)!;
  const target = manifest.functions.find(({ id }) => id === push?.function);
  return {
    name: subscriptionPath(name).slice(1),
    topic: `projects/${PROJECT}/topics/${topic}`,
    ackDeadlineSeconds,
    pushConfig:
      push === null ? {} : { pushEndpoint: `https://${target!.name}-123456789012.${REGION}.run.app${push.path}` },
    ...(deadLetter === null
      ? {}
      : {
          deadLetterPolicy: {
            deadLetterTopic: `projects/${PROJECT}/topics/${deadLetter.topic}`,
            maxDeliveryAttempts: deadLetter.maxDeliveryAttempts,
          },
        }),
  };
}

function serviceOf(id: string, change: { timeout?: string; most?: number; environment?: object } = {}): object {
  const { name, environment, timeoutSeconds, maxInstances } = manifest.functions.find((each) => each.id === id)!;
  const variables = { ...environment, ...change.environment };
  return {
    name: servicePath(name).slice(1),
    uri: `https://${name}-abcdefghij-uc.a.run.app`,
    template: {
      timeout: change.timeout ?? `${timeoutSeconds}s`,
      scaling: { maxInstanceCount: change.most ?? maxInstances },
      containers: [{ env: Object.entries(variables).map(([variable, value]) => ({ name: variable, value })) }],
    },
  };
}

beforeEach(async () => {
  sampled = new Set(['visits']);
  answers = new Map();
  bodies = new Map();
  for (const { name } of manifest.topics) put(inProject(`topics/${name}`), { name });
  for (const { name } of manifest.subscriptions) put(subscriptionPath(name), subscriptionOf(name));
  for (const { id, name } of manifest.functions) put(servicePath(name), serviceOf(id));
  const sweep = 'millrace-visits--sweep';
  put(inProject(`locations/${REGION}/jobs/${sweep}`), {
    state: 'ENABLED',
    httpTarget: { uri: `https://${sweep}/sweep` },
  });
  const fields = [
    { name: 'page', type: 'STRING' },
    { name: 'hour', type: 'TIMESTAMP' },
    { name: 'visits', type: 'INTEGER' },
    { name: 'pane_epoch', type: 'INTEGER' },
    { name: 'pane_sequence', type: 'INTEGER' },
  ];
  put(inProject('datasets/millrace_visits/tables/counts'), { schema: { fields } });
  // Everybody has every role on the project: the things' own policies are not needed.
  const members = [...manifest.functions.map(({ id }) => account(id)), account('push'), account('scheduler'), AGENT];
  const roles = [...new Set(manifest.grants.map(({ role }) => role))];
  put(`/projects/${PROJECT}:getIamPolicy`, {
    bindings: roles.map((role) => ({ role, members: [...members, account('build')] })),
  });
  server = createServer(async (request, response) => {
    const sent = (await request.toArray()).join('');
    if (sent !== '') bodies.set(request.url!, sent);
    const { status, body } = answers.get(request.url ?? '') ?? {
      status: 404,
      body: { error: { message: 'not found' } },
    };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function survey(more: Partial<Survey> = {}): Survey {
  const topology = { topology: 3, epoch: 2, shape: storedShape(planned), admittedAt: 0 as EpochMillis };
  const none = { paused: {}, drain: undefined, roots: new Map(), moved: {} };
  const times = { watermarks: NO_WATERMARKS, computed: NO_WATERMARKS, lastSweep: MIN_TIMESTAMP, now: 0 as EpochMillis };
  return { pipeline: 'visits', shape: topology.shape, topology, ...none, ...times, ...more };
}

/** The sources whose backlog is sampled. */
let sampled: Set<string>;

async function diagnose(check: string, more: Partial<Survey> = {}): Promise<readonly Found[]> {
  const endpoints = Object.fromEntries(Object.keys(GOOGLE_APIS).map((api) => [api, base]));
  const parts = new DeployedParts(new GoogleApiReader({ endpoints }), PROJECT);
  const checks = outsideChecks({
    manifest,
    plan: planned,
    parts,
    backlog: {
      sample: async (source) =>
        sampled.has(source)
          ? { sampledAt: 0 as EpochMillis, oldestUnackedAge: 0 as Millis, undelivered: 0 }
          : undefined,
    },
    project: PROJECT,
    region: REGION,
    survey: survey(more),
    emulators: false,
  });
  return checks.find((each) => each.check === check)!.run();
}

async function ill(check: string, more: Partial<Survey> = {}): Promise<string[]> {
  return (await diagnose(check, more)).map(({ severity, sentence }) => `${severity}: ${sentence}`);
}

describe('a deployment that is well', () => {
  it.each(['topics', 'subscriptions', 'backlog', 'tables', 'functions', 'scheduler', 'grants'])(
    'has nothing wrong with its %s',
    async (check) => {
      expect(await ill(check)).toEqual([]);
    },
  );

  it('says what is never looked at', async () => {
    expect(await ill('quotas')).toEqual([RATES]);
  });

  it('is asked for the roles that hold under a condition by their own names', async () => {
    await ill('grants');
    expect(bodies.get(`/projects/${PROJECT}:getIamPolicy`)).toBe('{"options":{"requestedPolicyVersion":3}}');
  });
});

it('a source whose backlog nobody has sampled: its watermark stands, and nothing else says why', async () => {
  sampled.clear();
  const [found] = await diagnose('backlog');
  expect(found).toMatchObject({
    severity: 'warning',
    sentence:
      "Cloud Monitoring has no sample of the last ten minutes of the backlog of source 'visits', so its watermark stands still",
  });
  expect(found!.remedies.join()).toContain('maxLag');
});

describe('the quotas of the region', () => {
  const quotaPath = (id: string) => inProject(`locations/global/services/run.googleapis.com/quotaInfos/${id}`);
  const CPU = 'CpuAllocPerProjectRegion';
  const MEMORY = 'MemAllocPerProjectRegion';
  const quota = (id: string, ...values: readonly (readonly [region: string | undefined, value: string])[]) =>
    put(quotaPath(id), {
      quotaId: id,
      dimensionsInfos: values.map(([region, value]) => ({
        ...(region === undefined ? {} : { dimensions: { region } }),
        details: { value },
        applicableLocations: [region ?? REGION],
      })),
    });

  it('are enough', async () => {
    quota(CPU, ['europe-west1', '1'], [REGION, '200000'], [undefined, '1']);
    quota(MEMORY, [undefined, '-1']);
    expect(await ill('quotas')).toEqual([RATES]);
  });

  it('are too small for a function, which cannot be deployed', async () => {
    quota(CPU, [REGION, '10000']);
    expect(await ill('quotas')).toEqual([
      "error: function 'millrace-visits--ingest--visits' may have 20 instances, so 20 vCPUs, and the project may use 10 in us-central1: Cloud Run refuses to deploy it",
      RATES,
    ]);
  });

  it('are too small for all functions together, when they are busy', async () => {
    quota(CPU, [REGION, '22000']);
    quota(MEMORY, [REGION, String(11 * 2 ** 30)]);
    expect(await ill('quotas')).toEqual([
      'warning: with all their instances the functions use 23 vCPUs, and the project may use 22 in us-central1: under load some get no more, and their messages wait',
      'warning: with all their instances the functions use 11.5 GiB of memory, and the project may use 11 in us-central1: under load some get no more, and their messages wait',
      RATES,
    ]);
  });

  it('cannot be read where their API is off', async () => {
    for (const id of [CPU, MEMORY]) put(quotaPath(id), { error: { message: 'Cloud Quotas API is disabled' } }, 403);
    const found = await ill('quotas');
    expect(found).toHaveLength(3);
    expect(found[0]).toMatch(/^unknown: not checked: Cloud Run's quota of vCPUs: .* Cloud Quotas API is disabled;/);
    expect(found[1]).toMatch(/^unknown: not checked: Cloud Run's quota of GiB of memory: /);
  });

  it('of rates that the plan names are said, for a person to compare', async () => {
    const scored = plan(scoredPipeline);
    const parts = new DeployedParts(new GoogleApiReader({ endpoints: { quotas: base } }), PROJECT);
    const [last] = (
      await checkQuotas({
        manifest: deploymentManifest(scored),
        plan: scored,
        ...{ parts, backlog: undefined, project: PROJECT, region: REGION, survey: survey(), emulators: false },
      })
    ).slice(-1);
    expect(last!.sentence).toMatch(
      /BigQuery and Vertex AI, and what of each others use; 'score' asks its model up to \d+ times a minute$/,
    );
  });
});

describe('what somebody has changed is told', () => {
  const stage = 'millrace-visits--count--0';
  const source = 'millrace-visits--ingest--visits';
  const dead = 'millrace-visits--undelivered';

  it('a topic that is gone', async () => {
    answers.delete(inProject(`topics/${stage}`));
    expect(await ill('topics')).toEqual([
      `error: topic '${stage}' is not there: what is sent to its stage fails to be published and waits in the outbox`,
    ]);
  });

  it.each([
    [
      { ackDeadlineSeconds: 60 },
      'waits 60 s for an acknowledgement, not 150 s: a message comes again while a function still works on it',
    ],
    [{ topic: '_deleted-topic_' }, 'is of a topic that was deleted; nothing comes any more'],
    [{ deadLetterPolicy: undefined }, `gives what cannot be delivered to nobody, not to '${dead}'`],
    [
      { deadLetterPolicy: { deadLetterTopic: `projects/${PROJECT}/topics/${dead}`, maxDeliveryAttempts: 5 } },
      'gives up after 5 attempts, not 100; “no instance is free” counts as one',
    ],
    [{ pushConfig: {} }, 'pushes to nobody, though it is neither paused nor drained; what comes waits'],
    [
      { pushConfig: { pushEndpoint: 'https://other-1.run.app/sources/visits' } },
      `pushes to https://other-1.run.app/sources/visits, not to /sources/visits of function 'millrace-visits--ingest--visits'`,
    ],
  ])('a subscription with %j', async (change, sentence) => {
    put(subscriptionPath(source), { ...subscriptionOf(source), ...change });
    expect(await ill('subscriptions')).toEqual([`error: subscription '${source}' ${sentence}`]);
  });

  it('a subscription that pushes though it was paused or drained, and how its order is given again', async () => {
    const at = 0 as EpochMillis;
    const paused = { count: { since: at, delivery: {} } };
    const told = await diagnose('subscriptions', { paused, drain: { since: at, readingEnds: at } });
    expect(told.map(({ sentence, remedies }) => [sentence, ...remedies])).toEqual(
      expect.arrayContaining([
        [`subscription '${source}' pushes, though it was paused or drained`, 'millrace drain, which stops it again'],
        [
          `subscription '${stage}' pushes, though it was paused or drained`,
          'millrace pause count, which stops it again',
          'millrace resume count',
        ],
      ]),
    );
  });

  it.each(['pausing', 'resuming'] as const)(
    'no subscription of a stage whose %s broke off, on or off',
    async (step) => {
      const paused = { count: { since: 0 as EpochMillis, delivery: {}, step } };
      expect(await ill('subscriptions', { paused })).toEqual([]);
      put(subscriptionPath(stage), { ...subscriptionOf(stage), pushConfig: {} });
      expect(await ill('subscriptions', { paused })).toEqual([]);
    },
  );

  it('a subscription without an endpoint only where nobody has paused or drained it', async () => {
    for (const name of [source, stage]) put(subscriptionPath(name), { ...subscriptionOf(name), pushConfig: {} });
    const at = 0 as EpochMillis;
    const paused = { count: { since: at, delivery: {} } };
    expect(await ill('subscriptions', { paused, drain: { since: at, readingEnds: at } })).toEqual([]);
    expect(await ill('subscriptions', { paused })).toHaveLength(1);
  });

  it.each([
    [{ timeout: '600s' }, 'may work for 600 s, and Pub/Sub delivers again after 150 s: two would work on one message'],
    [{ timeout: '30s' }, 'is cut off after 30 s, not 120 s'],
    [{ most: 100 }, 'may have 100 instances, not 1: those of one slot hinder each other'],
    [
      { environment: { MILLRACE_EPOCH: '1' } },
      'is of MILLRACE_EPOCH=1, and 2 was admitted last: it takes no work that others have',
    ],
    [{ environment: { MILLRACE_SHARDS: '8' } }, 'has MILLRACE_SHARDS=8, and the code at hand means 4'],
  ])('a function with %j', async (change, sentence) => {
    put(servicePath(stage), serviceOf('count--0', change));
    expect(await ill('functions')).toEqual([`error: function '${stage}' ${sentence}`]);
  });

  it('a function that is not there, a job that is switched off', async () => {
    answers.delete(servicePath(stage));
    put(inProject(`locations/${REGION}/jobs/millrace-visits--sweep`), { state: 'PAUSED' });
    expect([...(await ill('functions')), ...(await ill('scheduler'))]).toEqual([
      `error: function '${stage}' is not there in us-central1; what is pushed to it waits`,
      "error: Cloud Scheduler’s job 'millrace-visits--sweep' is PAUSED: an idle pipeline’s watermarks stand",
    ]);
  });

  it('a table that is not there, or has other columns', async () => {
    put(inProject('datasets/millrace_visits/tables/counts'), {
      schema: {
        fields: [
          { name: 'page', type: 'INTEGER' },
          { name: 'hour', type: 'TIMESTAMP' },
          { name: 'pane_epoch', type: 'INTEGER' },
          { name: 'pane_sequence', type: 'INTEGER' },
        ],
      },
    });
    expect(await ill('tables')).toEqual([
      "error: column 'page' of table millrace_visits.counts is INTEGER, and the pipeline writes STRING",
      "warning: table millrace_visits.counts has no column 'visits'; the next flush adds it",
    ]);
    answers.delete(inProject('datasets/millrace_visits/tables/counts'));
    expect(await ill('tables')).toEqual([
      'error: table millrace_visits.counts is not there; its rows wait, and its first flush makes it where it may',
    ]);
  });

  it('a grant that is given neither on the thing nor on the project', async () => {
    const only = manifest.grants.filter(({ role }) => role !== 'roles/pubsub.publisher');
    const members = [
      ...manifest.functions.map(({ id }) => account(id)),
      account('push'),
      account('scheduler'),
      AGENT,
      account('build'),
    ];
    put(`/projects/${PROJECT}:getIamPolicy`, {
      bindings: [...new Set(only.map(({ role }) => role))].map((role) => ({ role, members })),
    });
    const publishers = [...manifest.functions.map(({ id }) => account(id)), AGENT];
    for (const { name } of manifest.topics)
      put(`${inProject(`topics/${name}`)}:getIamPolicy`, {
        bindings: [{ role: 'roles/pubsub.publisher', members: name === stage ? publishers.slice(1) : publishers }],
      });
    expect(await ill('grants')).toEqual([
      expect.stringMatching(
        /^warning: serviceAccount:millrace-visits--\S+@my-project\.iam\.gserviceaccount\.com does not have roles\/pubsub\.publisher on topic 'millrace-visits--count--0' \(by a wider role it may\): /,
      ),
    ]);
  });

  it('a grant on a table, an account or a repository, whose own policies are read', async () => {
    const OWN = ['roles/bigquery.dataEditor', 'roles/iam.serviceAccountTokenCreator', 'roles/artifactregistry.writer'];
    const on = {
      table: inProject('datasets/millrace_visits/tables/counts'),
      account: inProject(`serviceAccounts/millrace-visits--push@${PROJECT}.iam.gserviceaccount.com`),
      repository: inProject(`locations/${REGION}/repositories/${manifest.imageRepository}`),
    };
    const everybody = [...manifest.functions.map(({ id }) => account(id)), account('build'), account('push'), AGENT];
    const others = [...new Set(manifest.grants.map(({ role }) => role))].filter((role) => !OWN.includes(role));
    put(`/projects/${PROJECT}:getIamPolicy`, {
      bindings: others.map((role) => ({ role, members: [...everybody, account('scheduler')] })),
    });
    const [editor, creator, writer] = OWN.map((role) => ({ bindings: [{ role, members: everybody }] }));
    put(`${on.table}:getIamPolicy`, editor);
    put(`${on.account}:getIamPolicy`, creator);
    put(`${on.repository}:getIamPolicy`, writer);
    expect(await ill('grants')).toEqual([]);
    put(`${on.table}:getIamPolicy`, { bindings: [{ role: OWN[0], members: [account('push')] }] });
    put(`${on.repository}:getIamPolicy`, { error: { message: 'Permission denied' } }, 403);
    expect(await ill('grants')).toEqual([
      expect.stringMatching(
        /^warning: serviceAccount:millrace-visits--counts--0@\S+ does not have roles\/bigquery\.dataEditor on table 'counts' \(by a wider role it may\): /,
      ),
      expect.stringMatching(
        /^unknown: not checked: what is granted on repository 'images', whose policy cannot be read: .*403.*Permission denied/,
      ),
    ]);
  });

  it('a thing that may not be read is unknown, with who says so', async () => {
    put(inProject(`topics/${stage}`), { error: { message: 'Permission denied' } }, 403);
    await expect(ill('topics')).rejects.toThrow(
      /answered 403 to GET \/projects\/my-project\/topics\/millrace-visits--count--0: Permission denied; who asks needs a role/,
    );
  });
});

describe('the shape that it was deployed in', () => {
  const shape = (endpoints: object) => {
    const parts = new DeployedParts(new GoogleApiReader({ endpoints, others: 'none' }), PROJECT);
    return deployedShape(parts, REGION, (as) => deploymentManifest(planned, { shape: as }));
  };

  it('is known by the function of a stage', async () => {
    expect(await shape({ run: base })).toBe('functions');
    for (const { name } of manifest.functions) answers.delete(servicePath(name));
    put(servicePath('millrace-visits--service--0'), serviceOf('sweep'));
    expect(await shape({ run: base })).toBe('services');
  });

  it('is taken for functions where nothing is there, or nobody can be asked', async () => {
    for (const { name } of manifest.functions) answers.delete(servicePath(name));
    expect(await shape({ run: base })).toBe('functions');
    expect(await shape({})).toBe('functions');
  });
});
