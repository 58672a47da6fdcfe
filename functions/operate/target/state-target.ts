/** A pipeline that ran embedded, and was kept on disk. */
import { Embedded } from '../../local/embedded.ts';
import { MemoryBus } from '../../local/memory-bus.ts';
import { loadSnapshot, saveSnapshot } from '../../local/snapshot.ts';
import { SYSTEM_IDS } from '../../local/system.ts';
import { VirtualClock } from '../../local/virtual-clock.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { Graph } from '../../model/graph.ts';
import { type Plan, plan } from '../../plan/plan.ts';
import { readControl } from '../../engine/control.ts';
import { UpgradeRefused, checkUpgrade } from '../upgrade.ts';
import type { Target } from './target.ts';

/** Sweeps until nothing can move any more. */
const SETTLING_SWEEPS = 4;

/**
 * @param graph of the code, where it is at hand; it must fit the state
 * @throws {UpgradeRefused} when it does not
 */
export async function openState(directory: string, graph: Graph | undefined): Promise<Target> {
  const { note, store, warehouse } = await loadSnapshot(directory);
  if (graph !== undefined && graph.name !== note.pipeline)
    throw new ConfigurationError(
      `the state in '${directory}' is of pipeline '${note.pipeline}', not of '${graph.name}'`,
    );
  const topology = (await readControl(store, 'topology'))?.body;
  const planned = graph === undefined ? undefined : planFor(graph, topology?.shape.stages);
  if (planned !== undefined) {
    const problems = await checkUpgrade(store, planned);
    if (problems.length > 0) throw new UpgradeRefused(note.pipeline, problems);
  }
  const of = { topology: topology?.topology ?? 1, epoch: topology?.epoch ?? 1 };
  const clock = new VirtualClock(note.at);
  const bus = new MemoryBus(SYSTEM_IDS);
  return {
    pipeline: note.pipeline,
    where: `the state in '${directory}'`,
    store,
    clock,
    ids: SYSTEM_IDS,
    ...of,
    ...(planned === undefined ? {} : { plan: planned }),
    bus,
    settle: async () => {
      if (planned === undefined) return;
      const embedded = new Embedded({ plan: planned, store, bus, warehouse, clock, ids: SYSTEM_IDS, ...of });
      await embedded.start();
      for (let i = 0; i < SETTLING_SWEEPS; i++) {
        await embedded.sweep();
        await embedded.deliver();
      }
      await embedded.flush();
      await embedded.deliver();
      await embedded.stop();
    },
    close: async () => {
      const { writes, deletes } = store.counts;
      if (writes + deletes > 0) await saveSnapshot(directory, { note, store, warehouse });
    },
  };
}

/** The plan with the shards that the stored stages have; all sources were read by position. */
function planFor(graph: Graph, stages: readonly { readonly shards: number }[] | undefined): Plan {
  const files = new Set(graph.nodes.filter(({ kind }) => kind === 'source').map(({ name }) => name));
  const shards = Math.max(1, ...(stages ?? []).map((stage) => stage.shards));
  return plan(graph, { files, shards });
}
