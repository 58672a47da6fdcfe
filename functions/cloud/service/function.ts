/**
 * One deployed function, put together from what its environment says that it serves: the same parts behind the same paths
 * whether it serves one stage or all of them.
 */
import { type AssemblySetting, viewReader } from '../../engine/assembly.ts';
import type { BundleCounts } from '../../engine/shard/work.ts';
import type { FlushPolicy } from '../../engine/sink/sink-state.ts';
import { Sweeper } from '../../engine/sweep/sweeper.ts';
import { ConfigurationErrors } from '../../model/errors.ts';
import { type Millis, MIN_TIMESTAMP } from '../../model/time.ts';
import { servedSource, servedStage, SWEEP, UNDELIVERED } from '../../plan/deployed-functions.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { StoreCounts } from '../../ports/store.ts';
import type { Warehouse } from '../../ports/warehouse.ts';
import type { FunctionConfiguration } from '../configuration.ts';
import { FirestoreStore } from '../firestore/store.ts';
import { MonitoringBacklog } from '../monitoring-backlog.ts';
import { VertexPredictor } from '../predictor/vertex-predictor.ts';
import { PubSubBus } from '../pubsub/bus.ts';
import { type PushMessage, pushVerifier } from '../push/index.ts';
import { Announcer } from './announcer.ts';
import { Cooperation } from './cooperation.ts';
import { Log } from './log.ts';
import { logView } from './view-log.ts';
import { type FunctionRequest, type FunctionResponse, type Route, Router } from './router.ts';
import { SourceHost } from './source-host.ts';
import { StageCounts } from './stage-counts.ts';
import { StageHost } from './stage-host.ts';
import { SweepHost } from './sweep-host.ts';
import { Telemetry } from './telemetry.ts';
import { UndeliveredHost } from './undelivered-host.ts';

/** What of the outside the adapters of this folder do not bring themselves. */
export interface FunctionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly warehouse: Warehouse;
  /** Takes log lines. */
  readonly write: (line: string) => void;
}

/** What a function has done since it started, for the status of local runs and for tests. */
export interface FunctionStatus {
  readonly stages: Readonly<Record<string, BundleCounts>>;
  readonly store: StoreCounts;
}

export interface CloudFunction {
  handle(request: FunctionRequest, response: FunctionResponse): Promise<void>;
  /** Lets nothing in any more, ends what is under way, and closes. Never rejects. */
  drain(): Promise<void>;
}

/** Where a local run shows its status. */
export const STATUS_PATH = '/status';

/** @throws {ConfigurationErrors} when it is told to serve what the pipeline does not have, or anybody in a cloud */
export function cloudFunction(plan: Plan, configuration: FunctionConfiguration, ports: FunctionPorts): CloudFunction {
  checkServes(plan, configuration);
  const { pipeline } = plan;
  const { projectId, databaseId, firestoreHost, pubsubHost, topology, epoch, identity, tuning } = configuration;
  const { clock, ids, warehouse } = ports;
  const verify = pushVerifier(identity, { clock });
  const log = new Log(pipeline, projectId, ports.write);
  const store = new FirestoreStore({ pipeline, projectId, databaseId, emulatorHost: firestoreHost });
  const bus = new PubSubBus(plan, { projectId, emulatorHost: pubsubHost, epoch });
  const backlog = new MonitoringBacklog({ pipeline, projectId, clock, endpoint: configuration.monitoringUrl });
  const announcer = new Announcer(pipeline, bus, log);
  const { region: location, vertexUrl: baseUrl } = configuration;
  const vertex = { project: projectId, location, clock };
  const predictor = new VertexPredictor(baseUrl === undefined ? vertex : { ...vertex, baseUrl });
  const { republishAfter, retireAfter } = tuning;
  const of = { topology, epoch };
  const sweeper = new Sweeper({ plan, store, bus, clock, backlog, timing: tuning, republishAfter, retireAfter, ...of });
  const telemetry = new Telemetry(plan, log, clock);
  const sweep = new SweepHost(plan, sweeper, log);
  const cooperation = new Cooperation({ store, sweep, clock, log, every: tuning.sweepEvery });
  const counts = new StageCounts();
  const engine: AssemblySetting = {
    pipeline,
    store,
    bus,
    warehouse,
    predictor,
    clock,
    ids,
    topology,
    epoch,
    cadence: tuning.commitEvery,
    flushPolicy: (own) => flushedWithin(tuning.flushEvery, own),
    inputWatermarkOf: (stage) => sweeper.watermarks.input[stage] ?? MIN_TIMESTAMP,
    counted: (stage, bundle) => {
      counts.add(stage, bundle);
      telemetry.counted(stage, bundle);
    },
    deadLettered: (letters) => {
      announcer.announce(letters);
      telemetry.deadLettered(letters);
    },
    views: viewReader(plan, store),
    viewShown: (shown) => logView(log, shown),
  };
  const { routes, hosts } = served(plan, configuration, {
    engine,
    log,
    sweep,
    telemetry,
    cooperation,
    announcer,
    prepareBus: () => bus.prepare(),
  });
  if (identity.mode === 'none') {
    const status = async (): Promise<FunctionStatus> => ({ stages: counts.all(), store: store.counts });
    routes.set(STATUS_PATH, { kind: 'call', call: status });
  }
  const router = new Router({ routes, verify, clock, log, answerWithin: configuration.answerWithin });
  const close = async (): Promise<void> => {
    await router.drain();
    for (const host of hosts) await host.idle();
    for (const host of hosts) await host.close();
    await announcer.settled();
    telemetry.flush();
    await Promise.all([store.close(), bus.close(), predictor.close()]);
  };
  return {
    handle: (request, response) => router.handle(request, response),
    drain: () => close().catch((error: unknown) => log.error('closing failed', { error })),
  };
}

/** Whatever takes pushed messages. */
interface Host {
  take(message: PushMessage): Promise<void>;
  idle(): Promise<void>;
  close(): Promise<void>;
}

interface Parts {
  readonly engine: AssemblySetting;
  readonly log: Log;
  readonly sweep: SweepHost;
  readonly telemetry: Telemetry;
  readonly cooperation: Cooperation;
  readonly announcer: Announcer;
  readonly prepareBus: () => Promise<void>;
}

/** The routes of what a function serves, and the hosts behind them. */
function served(
  plan: Plan,
  { serves, slot, tuning }: FunctionConfiguration,
  { engine, log, sweep, telemetry, cooperation, announcer, prepareBus }: Parts,
): { routes: Map<string, Route>; hosts: Host[] } {
  const routes = new Map<string, Route>();
  const hosts: Host[] = [];
  const push = (path: string, host: Host): void => {
    hosts.push(host);
    const take = async (message: PushMessage): Promise<void> => {
      await Promise.all([host.take(message), cooperation.whileBusy()]);
      await announcer.settled();
    };
    routes.set(path, { kind: 'push', take });
  };
  for (const { kind, id } of serves)
    switch (kind) {
      case 'source': {
        const source = plan.sources.find((each) => each.id === id)!;
        push(servedSource(id).path, new SourceHost({ plan, source, engine, tuning, prepareBus }));
        break;
      }
      case 'stage':
        push(servedStage(id).path, new StageHost({ plan, stage: plan.stage(id), slot, engine, log }));
        break;
      case 'sweep':
        routes.set(SWEEP.path, { kind: 'call', call: () => sweep.run((result) => telemetry.swept(result)) });
        break;
      case 'undelivered':
        push(UNDELIVERED.path, new UndeliveredHost({ plan, engine, log }));
        break;
    }
  return { routes, hosts };
}

function flushedWithin(most: Millis, own: FlushPolicy): FlushPolicy {
  return most > 0 ? { ...own, every: Math.min(own.every, most) } : own;
}

function checkServes(plan: Plan, { serves, slot, pipeline }: FunctionConfiguration): void {
  const problems: string[] = [];
  if (pipeline !== plan.pipeline) problems.push(`this function is of pipeline '${plan.pipeline}', not '${pipeline}'`);
  for (const { kind, id } of serves) {
    const stage = plan.stages.find((each) => each.id === id);
    if (kind === 'stage' && stage === undefined)
      problems.push(`pipeline '${plan.pipeline}' has no stage '${id}'; its stages are ${names(plan.stages)}`);
    if (kind === 'stage' && stage !== undefined && slot >= stage.slots)
      problems.push(`stage '${id}' has ${stage.slots} slots, so none with the number ${slot}`);
    if (kind === 'source' && !plan.sources.some((source) => source.id === id))
      problems.push(`pipeline '${plan.pipeline}' has no source '${id}'; its sources are ${names(plan.sources)}`);
  }
  if (problems.length > 0) throw new ConfigurationErrors(problems);
}

function names(items: readonly { readonly id: string }[]): string {
  return items.map(({ id }) => id).join(', ');
}
