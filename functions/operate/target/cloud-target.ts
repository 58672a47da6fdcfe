/** A deployed pipeline, in a project or on the emulators. */
import { DeployedParts } from '../../cloud/deployment/deployed-parts.ts';
import { GoogleApiReader, type GoogleApiSetting } from '../../cloud/deployment/google-api.ts';
import { FirestoreStore } from '../../cloud/firestore/store.ts';
import { whyNotListening } from '../../cloud/listening.ts';
import { MonitoringBacklog } from '../../cloud/monitoring-backlog.ts';
import { PubSubBus } from '../../cloud/pubsub/bus.ts';
import { PubSubSubscriptions } from '../../cloud/pubsub/subscriptions.ts';
import { SYSTEM_CLOCK, SYSTEM_IDS } from '../../local/system.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { Graph } from '../../model/graph.ts';
import type { Shape } from '../../plan/deployed-functions.ts';
import type { Manifest } from '../../plan/manifest.ts';
import { plan } from '../../plan/plan.ts';
import type { Bus } from '../../ports/bus.ts';
import { readControl } from '../../engine/control.ts';
import { Reachable, Unreachable } from './reachable.ts';
import { deploymentManifest } from '../deployment.ts';
import { countsOf } from '../running-counts.ts';
import { deployedShape } from '../doctor/deployed-shape.ts';
import { outsideChecks } from '../doctor/outside-checks.ts';
import { PubSubReachable } from './pubsub-reachable.ts';
import type { Target } from './target.ts';

export interface CloudAddress {
  readonly projectId: string;
  readonly databaseId: string;
  /** `host:port` of the emulators; absent: Google's own. */
  readonly firestoreHost: string | undefined;
  readonly pubsubHost: string | undefined;
  /** An emulator of BigQuery, such as `http://127.0.0.1:9050`. */
  readonly bigQueryUrl?: string | undefined;
}

/** No call of an operator's command waits longer for Firestore, milliseconds. */
const PATIENCE = 10_000;

/** @param graph of the code, where it is at hand */
export async function openCloud(address: CloudAddress, pipeline: string, graph: Graph | undefined): Promise<Target> {
  const { projectId, databaseId, firestoreHost, pubsubHost } = address;
  const where = firestoreHost === undefined ? `project '${projectId}'` : `the emulators (project '${projectId}')`;
  const isEmulator = firestoreHost !== undefined;
  const server = {
    name: isEmulator ? `the Firestore emulator at ${firestoreHost}` : `Firestore of project '${projectId}'`,
    isEmulator,
  };
  const silence = firestoreHost === undefined ? undefined : await whyNotListening(firestoreHost);
  if (silence !== undefined) throw new Unreachable(server, silence);
  const firestore = new FirestoreStore({
    projectId,
    databaseId,
    pipeline,
    emulatorHost: firestoreHost,
    timeoutMillis: PATIENCE,
  });
  const store = new Reachable(firestore, server);
  try {
    const topology = (await readControl(store, 'topology'))?.body;
    const planned = graph === undefined ? undefined : plan(graph, countsOf(topology?.shape.stages));
    const epoch = topology?.epoch ?? 1;
    const pubsub = { projectId, emulatorHost: pubsubHost, timeoutMillis: PATIENCE };
    const reachable = new PubSubReachable(pubsubHost, {
      name: pubsubHost === undefined ? `Pub/Sub of project '${projectId}'` : `the Pub/Sub emulator at ${pubsubHost}`,
      isEmulator: pubsubHost !== undefined,
    });
    const bus = planned === undefined ? undefined : new PubSubBus(planned, { ...pubsub, epoch });
    const slots = new Map((topology?.shape.stages ?? []).map((stage) => [stage.id, stage.slots]));
    const slotsOf = (stage: string): number =>
      slots.get(stage) ?? planned?.stages.find(({ id }) => id === stage)?.slots ?? 0;
    const subscriptions = new PubSubSubscriptions({ ...pubsub, pipeline, slotsOf });
    const backlog = isEmulator ? undefined : new MonitoringBacklog({ projectId, pipeline, clock: SYSTEM_CLOCK });
    const parts = new DeployedParts(new GoogleApiReader(apisOf(address)), projectId);
    return {
      pipeline,
      where,
      store,
      clock: SYSTEM_CLOCK,
      ids: SYSTEM_IDS,
      topology: topology?.topology ?? 1,
      epoch,
      ...(planned === undefined ? {} : { plan: planned }),
      bus: bus === undefined ? NO_BUS : reachable.bus(bus),
      subscriptions: reachable.subscriptions(subscriptions),
      ...(planned === undefined
        ? {}
        : {
            outside: async (survey, { region, shape }) => {
              const manifestOf = (as: Shape): Manifest =>
                deploymentManifest(planned, { shape: as, topology: topology?.topology ?? 1, epoch });
              return outsideChecks({
                manifest: manifestOf(shape ?? (await deployedShape(parts, region, manifestOf))),
                plan: planned,
                ...{ parts, backlog, project: projectId, region, survey, emulators: isEmulator },
              });
            },
          }),
      settle: async () => {},
      close: async () => {
        await bus?.close();
        await subscriptions.close();
        await firestore.close();
      },
    };
  } catch (error) {
    // What could not be opened cannot be closed either.
    await firestore.close().catch(() => {});
    throw error;
  }
}

/** The emulators that are there; of the rest nothing is asked where there is one. */
function apisOf({ firestoreHost, pubsubHost, bigQueryUrl }: CloudAddress): GoogleApiSetting {
  if (firestoreHost === undefined) return {};
  return {
    others: 'none',
    endpoints: {
      ...(pubsubHost === undefined ? {} : { pubsub: `http://${pubsubHost}/v1` }),
      ...(bigQueryUrl === undefined ? {} : { bigquery: `${bigQueryUrl}/bigquery/v2` }),
    },
  };
}

const NO_BUS: Bus = {
  send: () =>
    Promise.reject(new ConfigurationError('sending needs the code of the pipeline; name its module with --pipeline')),
  publish: () =>
    Promise.reject(
      new ConfigurationError('publishing needs the code of the pipeline; name its module with --pipeline'),
    ),
};
