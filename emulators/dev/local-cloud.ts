/**
 * A deployed pipeline on this machine: emulators, the manifest's topics and subscriptions, its functions as processes, the
 * relay in Pub/Sub's place and a scheduler in Cloud Scheduler's. What operators pause and drain, the relay does not bring. Invariant: `stop` ends everything that was started here,
 * and nothing outlives this process (launch-process.ts).
 */
import { FirestoreStore } from '../../functions/cloud/firestore/store.ts';
import { LOCAL_VARIABLES, type Tuning } from '../../functions/cloud/configuration.ts';
import { SYSTEM_CLOCK } from '../../functions/local/system.ts';
import type { Graph } from '../../functions/model/graph.ts';
import { admit } from '../../functions/operate/upgrade.ts';
import type { DeployedFunction, Shape } from '../../functions/plan/deployed-functions.ts';
import { PROJECT_VARIABLES } from '../../functions/plan/environment.ts';
import { type Manifest, manifestOf } from '../../functions/plan/manifest.ts';
import { type Plan, plan } from '../../functions/plan/plan.ts';
import { QUERIES } from '../../functions/ports/queries.ts';
import { COLLECTIONS } from '../../functions/ports/store.ts';
import { type Emulators, startEmulators } from '../launch.ts';
import { type Clients, openClients } from '../relay/clients.ts';
import { type MonitoringOptions, startMonitoring } from '../monitoring/server.ts';
import { type Relay, type RelayOptions, startRelay } from '../relay/relay.ts';
import { startTableServer, type TableServer } from '../tables/server.ts';
import { type FunctionProcess, startFunctionProcess } from './function-process.ts';
import { followOrders } from './operators-orders.ts';
import { createPubSubParts } from './pub-sub-parts.ts';
import { type Scheduler, startScheduler } from './scheduler.ts';

export interface LocalCloudOptions {
  readonly graph: Graph;
  /** The pipeline's file. */
  readonly module: string;
  /** Shards and slots of each stage; defaults as for `plan`. */
  readonly shards?: number;
  readonly slots?: number;
  /** Default `functions`. */
  readonly shape?: Shape;
  readonly projectId?: string;
  /** Emulators that run already; they are not stopped. Default: they are started. */
  readonly emulators?: BothEmulators;
  /** The address of a model server with Vertex AI's shapes. */
  readonly vertexUrl?: string;
  /** How often the scheduler sweeps. Default a minute, as in the cloud. */
  readonly sweepEveryMillis?: number;
  /** What happens oftener than in the cloud. */
  readonly tuning?: Partial<Tuning>;
  /** Instances of each function, without affinity. Default 1. */
  readonly instances?: number;
  /** Instances of the functions that take in sources, which scale freely. Default: as `instances`. */
  readonly ingestInstances?: number;
  /** Pushes in flight of one subscription. Default 250, the functions' own concurrency. */
  readonly concurrency?: number;
  readonly relay?: Pick<RelayOptions, 'troubles' | 'onProblem'>;
  /** How often the backlog is sampled, and how late a sample is seen. Default: as Cloud Monitoring's. */
  readonly monitoring?: Omit<MonitoringOptions, 'stats'>;
  /** The address of a BigQuery server to write tables to. Default: tables are kept in memory, see `tables`. */
  readonly bigQueryUrl?: string;
  /** What functions load: a bundle's main file. Default: the sources. */
  readonly source?: string;
  /** Variables for all functions. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Told of what functions print. */
  readonly onOutput?: (functionId: string, text: string) => void;
}

export type BothEmulators = Emulators<{ projectId: string }>;

const DEFAULT_PROJECT = 'demo-millrace';
const DEFAULT_CONCURRENCY = 250;
const MINUTE = 60_000;
/** A push that was refused is tried again soon: nobody waits for a machine of Google's here. */
const BACKOFF = { minimum: 100, maximum: 2_000 };

export interface LocalCloud {
  readonly projectId: string;
  readonly plan: Plan;
  readonly manifest: Manifest;
  /** Of the deployment; see `TopologyControl`. */
  readonly epoch: number;
  readonly emulators: BothEmulators;
  readonly clients: Clients;
  readonly tables: TableServer;
  /** The pipeline's documents, as operators see them. */
  readonly store: FirestoreStore;
  readonly relay: Relay;
  readonly scheduler: Scheduler;
  /** The instances of each function, by the function's id. */
  readonly functions: ReadonlyMap<string, readonly FunctionProcess[]>;
  /** Ends an instance and starts it again at the same address. @param signal default SIGKILL */
  restart(id: string, instance?: number, signal?: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const ended: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ended.splice(0).reverse()) await end();
  };
  try {
    return { ...(await start(options, (end) => ended.push(end))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  options: LocalCloudOptions,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<Omit<LocalCloud, 'stop'>> {
  const { graph, shards, slots, shape = 'functions' } = options;
  const planned = plan(graph, {
    ...(shards === undefined ? {} : { shards }),
    ...(slots === undefined ? {} : { slots }),
  });
  const emulators = options.emulators ?? (await ownEmulators(options, atEnd));
  const projectId = options.projectId ?? emulators.projectId;
  const clients = await openClients(projectId, emulators.pubsubHost);
  atEnd(() => clients.close());
  const tables = await startTableServer();
  atEnd(() => tables.stop());
  const store = new FirestoreStore({ projectId, pipeline: graph.name, emulatorHost: emulators.firestoreHost });
  atEnd(() => store.close());
  // As a deployment does: what was drained starts afresh, what does not fit is refused.
  const { topology, epoch } = await admit(store, planned, SYSTEM_CLOCK.now());
  const manifest = manifestOf(planned, { queries: QUERIES, collections: COLLECTIONS, shape, topology, epoch });
  await createPubSubParts(clients, projectId, manifest);

  let stats: Relay['stats'] = () => [];
  const monitoring = await startMonitoring({ ...options.monitoring, stats: () => stats() });
  atEnd(() => monitoring.stop());
  const environment = {
    ...environmentOf(options, manifest, emulators, projectId, tables),
    [LOCAL_VARIABLES.monitoring]: monitoring.url,
    ...(options.vertexUrl === undefined ? {} : { [LOCAL_VARIABLES.vertex]: options.vertexUrl }),
    ...options.environment,
  };
  const functions = new Map<string, FunctionProcess[]>();
  const startOne = async (deployed: DeployedFunction, instance: number, port?: number): Promise<void> => {
    const onOutput = (text: string) => options.onOutput?.(deployed.id, text);
    const from = {
      ...(port === undefined ? {} : { port }),
      ...(options.source === undefined ? {} : { source: options.source }),
    };
    const started = await startFunctionProcess(deployed, { environment, onOutput, ...from });
    functions.get(deployed.id)![instance] = started;
  };
  atEnd(() => Promise.all([...functions.values()].flat().map((one) => one.process.stop())));
  for (const { id } of manifest.functions) functions.set(id, []);
  const { instances = 1, ingestInstances = instances } = options;
  await Promise.all(
    manifest.functions.flatMap((deployed) =>
      Array.from({ length: deployed.role === 'ingest' ? ingestInstances : instances }, (_, instance) =>
        startOne(deployed, instance),
      ),
    ),
  );

  const urlsOf = (id: string, path: string): string[] => functions.get(id)!.map(({ url }) => `${url}${path}`);
  const relay = await startRelay({
    projectId,
    pubsubHost: emulators.pubsubHost,
    routes: manifest.subscriptions.flatMap(({ name, push }) =>
      push === null
        ? []
        : [
            {
              subscription: name,
              url: urlsOf(push.function, push.path),
              concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
              retryBackoff: BACKOFF,
            },
          ],
    ),
    ...options.relay,
  });
  stats = () => relay.stats();
  atEnd(() => relay.stop());
  const tell = options.relay?.onProblem ?? ((cause: string) => process.stderr.write(`${cause}\n`));
  const orders = followOrders(planned, store, relay, tell);
  atEnd(() => orders.stop());
  const scheduler = startScheduler(
    () => urlsOf(manifest.sweep.function, manifest.sweep.path),
    options.sweepEveryMillis ?? MINUTE,
  );
  atEnd(() => scheduler.stop());
  const restart = async (id: string, instance = 0, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const { process: child, url } = functions.get(id)![instance]!;
    process.kill(child.pid, signal);
    await child.ended;
    const deployed = manifest.functions.find((each) => each.id === id)!;
    await startOne(deployed, instance, Number(new URL(url).port));
  };
  return {
    projectId,
    plan: planned,
    manifest,
    epoch,
    emulators,
    clients,
    tables,
    store,
    relay,
    scheduler,
    functions,
    restart,
  };
}

async function ownEmulators(
  { projectId }: LocalCloudOptions,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<BothEmulators> {
  const emulators = await startEmulators({ projectId: projectId ?? DEFAULT_PROJECT });
  atEnd(() => emulators.stop());
  return emulators;
}

function environmentOf(
  { module, tuning, bigQueryUrl }: LocalCloudOptions,
  manifest: Manifest,
  emulators: BothEmulators,
  projectId: string,
  tables: TableServer,
): Record<string, string> {
  return {
    ...emulators.environment,
    [PROJECT_VARIABLES.project]: projectId,
    [LOCAL_VARIABLES.module]: module,
    ...(bigQueryUrl === undefined
      ? { [LOCAL_VARIABLES.tables]: tables.url }
      : { BIGQUERY_EMULATOR_HOST: bigQueryUrl, [PROJECT_VARIABLES.dataset]: manifest.dataset }),
    ...(tuning === undefined ? {} : { [LOCAL_VARIABLES.tuning]: JSON.stringify(tuning) }),
  };
}
