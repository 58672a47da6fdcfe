import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fixedWindows, pipeline } from '../../functions/index.ts';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import flights from '../../functions/pipelines/flights.ts';
import { SHAPES, type Shape } from '../../functions/plan/deployed-functions.ts';
import type { Manifest } from '../../functions/plan/manifest.ts';
import { plan } from '../../functions/plan/plan.ts';
import { auditManifest } from './audit.ts';
import { everything } from './everything.ts';

const manifest = deploymentManifest(plan(flights));

describe('the manifest of flights', () => {
  test('has a function a stage and slot, one a source and one for the sweep', () => {
    expect(
      manifest.functions.map(({ id, serves, maxInstances }) => [id, serves.map(({ path }) => path), maxInstances]),
    ).toEqual([
      ['ingest--flights', ['/sources/flights'], 20],
      ['delays--0', ['/stages/delays'], 1],
      ['departures--0', ['/stages/departures'], 1],
      ['sweep', ['/sweep', '/undelivered'], 1],
    ]);
  });

  test('as services has one a slot for all stages beside one that takes in', () => {
    const { functions } = deploymentManifest(plan(flights, { slots: 2 }), { shape: 'services' });
    expect(functions.map(({ id, serves, maxInstances }) => [id, serves.map(({ path }) => path), maxInstances])).toEqual(
      [
        ['ingest', ['/sources/flights'], 20],
        ['service--0', ['/stages/delays', '/stages/departures', '/sweep', '/undelivered'], 1],
        ['service--1', ['/stages/delays'], 1],
      ],
    );
  });

  test('gives a source’s subscription all that keeps its messages', () => {
    expect(manifest.subscriptions[0]).toEqual({
      name: 'millrace-flights--ingest--flights',
      topic: 'flights',
      kind: 'source',
      push: { function: 'ingest--flights', path: '/sources/flights' },
      ackDeadlineSeconds: 150,
      retentionSeconds: 2_678_400,
      minBackoffSeconds: 10,
      maxBackoffSeconds: 600,
      deadLetter: { topic: 'millrace-flights--undelivered', maxDeliveryAttempts: 100 },
    });
  });

  test('waits longer than the function that merges, and no longer than Pub/Sub allows', () => {
    const sink = manifest.subscriptions.find(({ name }) => name === 'millrace-flights--departures--0');
    expect(sink?.ackDeadlineSeconds).toBe(570);
    expect(Math.max(...manifest.subscriptions.map(({ ackDeadlineSeconds }) => ackDeadlineSeconds))).toBeLessThanOrEqual(
      600,
    );
  });

  test('has the sink’s table with the columns that guard against older panes', () => {
    expect(manifest.tables).toMatchObject([
      {
        table: 'departures_by_airport',
        dataset: null,
        partitionBy: 'window_start',
        clusterBy: ['airport'],
        flushSeconds: 60,
      },
    ]);
    expect(manifest.tables[0]!.schema.slice(0, 4)).toEqual([
      { name: 'airport', type: 'STRING', mode: 'REQUIRED' },
      { name: 'window_start', type: 'TIMESTAMP', mode: 'REQUIRED' },
      { name: 'window_end', type: 'TIMESTAMP', mode: 'REQUIRED' },
      { name: 'flights', type: 'INTEGER', mode: 'REQUIRED' },
    ]);
    expect(manifest.tables[0]!.schema.slice(-2).map(({ name }) => name)).toEqual(['pane_epoch', 'pane_sequence']);
  });

  test('is plain JSON, the same each time, and of no project', () => {
    const again = deploymentManifest(plan(flights));
    expect(JSON.stringify(again)).toBe(JSON.stringify(manifest));
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest);
    expect(JSON.stringify(manifest)).not.toMatch(/@|projects\/(?!_\/)/);
  });
});

describe('the manifest of a pipeline with everything', () => {
  const all = deploymentManifest(plan(everything));

  test('lets only the stage that enriches ask models, only the sink write its table, and gives both time', () => {
    const holders = (role: string): string[] =>
      all.grants.filter((grant) => grant.role === role).map(({ member }) => ('id' in member ? member.id : member.kind));
    expect(holders('roles/aiplatform.user')).toEqual(['kind--0']);
    expect(holders('roles/bigquery.dataEditor')).toEqual(['shop-sizes--0']);
    expect(all.functions.filter(({ timeoutSeconds }) => timeoutSeconds === 540).map(({ id }) => id)).toEqual([
      'kind--0',
      'shop-sizes--0',
    ]);
    expect(all.services).toContain('aiplatform.googleapis.com');
    expect(manifest.services).not.toContain('aiplatform.googleapis.com');
  });

  test('puts a table into the dataset that its author named', () => {
    expect(all.tables).toMatchObject([{ table: 'theirs.sizes', dataset: 'theirs', name: 'sizes' }]);
  });
});

describe('the topology’s fingerprint', () => {
  const of = (graph: typeof flights, options = {}): string =>
    deploymentManifest(plan(graph, options)).topology.fingerprint;

  test('changes with stages, shards and slots, and with nothing else', () => {
    expect(of(flights)).toBe(of(flights));
    expect(new Set([of(flights), of(everything), of(flights, { slots: 2 }), of(flights, { shards: 8 })]).size).toBe(4);
    expect(deploymentManifest(plan(flights), { topology: 7 }).topology).toEqual({
      version: 7,
      fingerprint: of(flights),
    });
  });
});

describe.each(SHAPES)('as %s, the manifest holds all that the code asks for', (shape) => {
  test.each([
    ['flights', flights, {}],
    ['flights in two slots', flights, { slots: 2 }],
    ['a pipeline with everything', everything, { shards: 6, slots: 3 }],
  ])('%s', (_, graph, options) => {
    const planned = plan(graph, options);
    expect(auditManifest(planned, deploymentManifest(planned, { shape }))).toEqual([]);
  });

  test('a stage that is added in code without its infrastructure is found', () => {
    const problems = auditManifest(plan(everything), deploymentManifest(plan(flights), { shape }));
    expect(problems).toContain('topic millrace-everything--sizes--0 has 0 push subscriptions');
    expect(problems).toContain('there is no topic millrace-everything--sizes--0');
    expect(problems).toContain('there is no topic shop-alerts');
    expect(problems).toContain('there is no table for shop-sizes');
    expect(problems).toContain('nobody may ask the model of kind');
  });

  test('slots that are added in code without their infrastructure are found', () => {
    const problems = auditManifest(plan(flights, { slots: 2 }), deploymentManifest(plan(flights), { shape }));
    expect(problems).toContain('topic millrace-flights--delays--1 has 0 push subscriptions');
  });
});

describe('whatever is taken out of a manifest is missed', () => {
  const planned = plan(flights);
  const without = (change: Partial<Manifest>): string[] => auditManifest(planned, { ...manifest, ...change });

  test.each(manifest.subscriptions.filter(({ push }) => push !== null && push.path !== '/undelivered'))(
    'subscription $name',
    ({ name }) => {
      expect(without({ subscriptions: manifest.subscriptions.filter((each) => each.name !== name) })).not.toEqual([]);
    },
  );

  test.each(manifest.functions)('function $id', ({ id }) => {
    expect(without({ functions: manifest.functions.filter((each) => each.id !== id) })).not.toEqual([]);
  });

  test.each(manifest.firestore.indexes)('index $id', ({ id }) => {
    const indexes = manifest.firestore.indexes.filter((each) => each.id !== id);
    expect(without({ firestore: { ...manifest.firestore, indexes } })).toHaveLength(1);
  });

  test.each(manifest.firestore.exemptions)('exemption of $collection', ({ collection }) => {
    const exemptions = manifest.firestore.exemptions.filter((each) => each.collection !== collection);
    expect(without({ firestore: { ...manifest.firestore, exemptions } })).toEqual([
      `${collection} is indexed field by field`,
    ]);
  });

  test.each(['MILLRACE_PIPELINE', 'MILLRACE_SERVES', 'MILLRACE_SHARDS', 'MILLRACE_SLOTS', 'MILLRACE_TOPOLOGY'])(
    'variable %s',
    (variable) => {
      const functions = manifest.functions.map((each) => {
        const { [variable]: _, ...environment } = each.environment;
        return { ...each, environment };
      });
      expect(without({ functions })).not.toEqual([]);
    },
  );

  test('the right to publish to a stage', () => {
    const grants = manifest.grants.filter(({ on }) => on.name !== 'millrace-flights--delays--0');
    expect(without({ grants })).toHaveLength(manifest.functions.length);
  });

  test('one instance at most', () => {
    const functions = manifest.functions.map((each) => ({ ...each, maxInstances: 2 }));
    expect(without({ functions })).toContain('millrace-flights--delays--0 may have several instances');
  });
});

describe('memory for views', () => {
  /** Steps that read a view of so many MiB, each its own. */
  const reading = (mebibytes: readonly number[]) =>
    pipeline('prices', (p) => {
      const schema = z.object({ item: z.string() });
      for (const [i, each] of mebibytes.entries()) {
        const prices = p
          .readPubSub(`prices-${i}`, { schema })
          .window(`hourly-${i}`, fixedWindows('1h'))
          .asList(`list-${i}`, { maxBytes: each * 2 ** 20 });
        p.readPubSub(`orders-${i}`, { schema })
          .window(`orders-hourly-${i}`, fixedWindows('1h'))
          .parDo(`priced-${i}`, { process: (order, { output }) => output(order) }, { sideInputs: { prices } })
          .writePubSub(`out-${i}`, { topic: `priced-${i}` });
      }
    });
  const sizes = (graph: ReturnType<typeof reading>, shape: Shape) =>
    deploymentManifest(plan(graph), { shape }).functions.map(({ id, cpu, memoryMiB }) => [id, cpu, memoryMiB]);

  test('comes with the vCPUs that Cloud Run wants for so much', () => {
    expect(sizes(reading([64]), 'functions')).toContainEqual(['priced-0--0', 1, 768]);
    expect(sizes(reading([896]), 'functions')).toContainEqual(['priced-0--0', 1, 4_096]);
    expect(sizes(reading([897]), 'functions')).toContainEqual(['priced-0--0', 2, 4_352]);
    expect(sizes(reading([1_024]), 'services')).toContainEqual(['service--0', 4, 9_216]);
    expect(sizes(reading([1_024, 1_024]), 'services')).toContainEqual(['service--0', 8, 17_408]);
  });

  test('beyond what there is is refused, with the ways out', () => {
    expect(() => sizes(reading([1_024, 1_024, 1_024, 1_024]), 'services')).toThrow(
      "function 'service--0' of pipeline 'prices' needs 33 GiB of memory for its views, and Cloud Run gives 32; lower maxBytes of the views, or deploy with --shape functions, where each stage has memory of its own",
    );
  });
});

describe('what cannot be deployed is refused', () => {
  test('a source that reads a file', () => {
    const file = pipeline('batch', (p) => p.readFile('orders', { schema: z.object({}) }));
    expect(() => deploymentManifest(plan(file))).toThrow(
      "source 'orders' of pipeline 'batch' reads a file; deployed pipelines read topics, so use readPubSub and publish the file's records",
    );
  });

  test('a view that reads a file again and again', () => {
    const refreshing = pipeline('prices', (p) => {
      const prices = p
        .readFile('price-list', { schema: z.object({ item: z.string() }) })
        .asList('prices', { refreshEvery: '1h' });
      p.readPubSub('orders', { schema: z.object({ item: z.string() }) })
        .parDo('priced', { process: (order, { output }) => output(order) }, { sideInputs: { prices } })
        .writePubSub('out', { topic: 'priced' });
    });
    expect(() => deploymentManifest(plan(refreshing))).toThrow(
      "view 'prices' of pipeline 'prices' has refreshEvery and reads the file of 'price-list' again and again; deployed pipelines read topics, so use readPubSub and publish what has changed, or ask the store itself with lookUp",
    );
  });

  test.each(['in', 'google-events', '1st', 'projects/p/topics/events'])('a topic called %s', (topic) => {
    const graph = pipeline('events', (p) => {
      p.readPubSub('events', { topic, schema: z.object({}) }).writePubSub('out', { topic: 'results' });
    });
    expect(() => deploymentManifest(plan(graph))).toThrow(
      `topic: expected 3 to 255 letters, digits and -_.~+% that begin with a letter and not with 'goog', got ${JSON.stringify(topic)}; name another one by the option 'topic' of its source`,
    );
  });

  test.each([
    [{ topology: 0 }, 'topology: expected a whole number of 1 or more, got 0'],
    [{ ingestInstances: 1.5 }, 'ingestInstances: expected a whole number of 1 or more, got 1.5'],
    [{ shape: 'pods' as never }, 'shape: expected functions or services, got "pods"'],
  ])('%j', (options, message) => {
    expect(() => deploymentManifest(plan(flights), options)).toThrow(message);
  });
});
