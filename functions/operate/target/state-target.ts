/** A pipeline that ran embedded, and was kept on disk. */
import type { OpenSource } from '../../engine/views/loader.ts';
import { Embedded } from '../../local/embedded.ts';
import { MemoryBus } from '../../local/memory-bus.ts';
import { loadSnapshot, saveSnapshot } from '../../local/snapshot.ts';
import { openInput } from '../../local/input/open-input.ts';
import { SYSTEM_CLOCK, SYSTEM_IDS } from '../../local/system.ts';
import { VirtualClock } from '../../local/virtual-clock.ts';
import type { Root } from '../../engine/protocol/root.ts';
import { republish } from '../../engine/sweep/republish.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { Graph } from '../../model/graph.ts';
import { type Millis, MIN_TIMESTAMP } from '../../model/time.ts';
import { type Plan, plan } from '../../plan/plan.ts';
import type { Predictor } from '../../ports/predictor.ts';
import { readControl } from '../../engine/control.ts';
import { UpgradeRefused, checkUpgrade } from '../upgrade.ts';
import type { Target } from './target.ts';

/** Sweeps until nothing can move any more. */
const SETTLING_SWEEPS = 4;

/**
 * @param graph of the code, where it is at hand; it must fit the state
 * @param predictor asks the pipeline's models; needed where it has any and something is let go on
 * @throws {UpgradeRefused} when it does not
 */
export async function openState(directory: string, graph: Graph | undefined, predictor?: Predictor): Promise<Target> {
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
      const asks = predictor === undefined ? {} : { predictor };
      const ports = { store, bus, warehouse, clock, ids: SYSTEM_IDS, openSource };
      const embedded = new Embedded({ plan: planned, ...ports, ...asks, ...of });
      await embedded.start();
      // What a command before this one could not bring to its end.
      const roots = new Map((await store.roots()).map(({ id, body }) => [id, body as Root]));
      await republish(store, bus, roots, MIN_TIMESTAMP, clock.now(), new Set(), 0 as Millis);
      await embedded.deliver();
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
      await predictor?.close();
    },
  };
}

/** A source of a view that refreshes is read again; which other files a run was given is not kept. */
const openSource: OpenSource = ({ id, node }) => {
  const { path } = node.source;
  if (path === undefined)
    throw new ConfigurationError(
      `a view reads source '${id}' again, and its file is not known here; read it with readFile, or run the pipeline again`,
    );
  return openInput(path, () => SYSTEM_CLOCK.now());
};

/** The plan with the shards that the stored stages have; all sources were read by position. */
function planFor(graph: Graph, stages: readonly { readonly shards: number }[] | undefined): Plan {
  const files = new Set(graph.nodes.filter(({ kind }) => kind === 'source').map(({ name }) => name));
  const shards = Math.max(1, ...(stages ?? []).map((stage) => stage.shards));
  return plan(graph, { files, shards });
}
