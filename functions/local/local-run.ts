/**
 * A pipeline run on this machine from files to tables: the embedded engine with everything in memory.
 */
import { basename } from 'node:path';
import type { DeadLetter } from '../engine/dead-letter.ts';
import { readDeadLetter } from '../engine/dead-letter-document.ts';
import type { OpenSource } from '../engine/views/loader.ts';
import { ConfigurationError } from '../model/errors.ts';
import { type Graph, isTimeless } from '../model/graph.ts';
import { MIN_TIMESTAMP } from '../model/time.ts';
import { type Plan, plan } from '../plan/plan.ts';
import { Embedded } from './embedded.ts';
import { openInput } from './input/open-input.ts';
import { type LocalModel, MemoryPredictor } from './memory-predictor.ts';
import { MemoryStore } from './memory-store.ts';
import { MemoryWarehouse } from './memory-warehouse.ts';
import { RunBus } from './run-bus.ts';
import { RunClock } from './run-clock.ts';
import { type Input, run } from './runner.ts';
import { SYSTEM_CLOCK } from './system.ts';
import { SeededIds } from './virtual-clock.ts';

export interface LocalRunOptions {
  /** A file for each source that is to be read; a `readFile` source without one reads its own path. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Default 1: one process gains nothing from more. */
  readonly shards?: number;
  readonly progress?: (records: number) => void;
  /** Answers in a model's place. Default: a pipeline that asks a model is refused. */
  readonly localModel?: LocalModel;
  /** Whether tables are flushed by age too, as live; else at their size limits and at the end. Default false. */
  readonly flushByAge?: boolean;
  /** A pipeline that was started afresh on what a run before has left. Default: nothing was there. */
  readonly from?: CarriedOn;
}

export interface CarriedOn {
  readonly store: MemoryStore;
  readonly warehouse: MemoryWarehouse;
  readonly topology: number;
  readonly epoch: number;
}

export interface RunSummary {
  readonly pipeline: string;
  readonly events: number;
  readonly panes: { readonly EARLY: number; readonly ON_TIME: number; readonly LATE: number };
  readonly late: number;
  readonly deadLettered: number;
  readonly seconds: number;
  readonly eventsPerSecond: number;
}

export class LocalRun {
  readonly warehouse: MemoryWarehouse;
  readonly store: MemoryStore;
  readonly bus = new RunBus(new SeededIds(1));
  readonly clock = new RunClock();
  readonly #graph: Graph;
  readonly #options: LocalRunOptions;

  constructor(graph: Graph, options: LocalRunOptions) {
    this.#graph = graph;
    this.#options = options;
    this.store = options.from?.store ?? new MemoryStore();
    this.warehouse = options.from?.warehouse ?? new MemoryWarehouse();
  }

  /** @throws {ConfigurationError} when a source has no file, or a file no source */
  async run(): Promise<RunSummary> {
    const files = filesOf(this.#graph, this.#options.inputs);
    const planned = this.#planned(files);
    const replay = planned.sources.some(({ node }) => node.source.arrivalTime !== undefined);
    if (replay) refuseTimelessMessages(planned);
    const { store, bus, warehouse, clock } = this;
    const flushByAge = this.#options.flushByAge ?? false;
    const timeless = new Set(this.#graph.nodes.filter(isTimeless).map(({ name }) => name));
    const open = (source: string): Input => {
      // Of a replay nobody knows when its records were read; of a file without times it counts as now.
      const now = timeless.has(source) ? clock : { now: () => MIN_TIMESTAMP };
      return openInput(files.get(source)!, () => (replay ? now : SYSTEM_CLOCK).now());
    };
    const ids = new SeededIds(2);
    const openSource: OpenSource = ({ id }) => open(id);
    const { localModel, from } = this.#options;
    const of = from === undefined ? {} : { topology: from.topology, epoch: from.epoch };
    const model = localModel === undefined ? {} : { predictor: new MemoryPredictor(localModel) };
    const embedded = new Embedded({
      plan: planned,
      store,
      bus,
      warehouse,
      clock,
      ids,
      flushByAge,
      openSource,
      ...model,
      ...of,
    });
    const inputs = new Map(planned.sources.map(({ id }) => [id, open(id)]));
    const start = performance.now();
    const { progress } = this.#options;
    const events = await run({
      embedded,
      inputs,
      clock,
      ...(replay ? { startedAt: SYSTEM_CLOCK.now() } : { realTime: SYSTEM_CLOCK }),
      ...(progress === undefined ? {} : { progress }),
    });
    return this.#summary(embedded, events, (performance.now() - start) / 1000);
  }

  /** What is run. @throws {ConfigurationError} as `run` does */
  get plan(): Plan {
    return this.#planned(filesOf(this.#graph, this.#options.inputs));
  }

  #planned(files: ReadonlyMap<string, string>): Plan {
    return plan(this.#graph, { shards: this.#options.shards ?? 1, files: new Set(files.keys()) });
  }

  /** What has failed for good, each with its whole value. */
  deadLetters(): Promise<DeadLetter[]> {
    return Promise.all(this.store.all('deadLetters').map((stored) => readDeadLetter(this.store, stored)));
  }

  #summary(embedded: Embedded, events: number, seconds: number): RunSummary {
    const panes = { EARLY: 0, ON_TIME: 0, LATE: 0 };
    let late = 0;
    for (const counts of embedded.counts.values()) {
      late += counts.late;
      panes.EARLY += counts.panes.EARLY;
      panes.ON_TIME += counts.panes.ON_TIME;
      panes.LATE += counts.panes.LATE;
    }
    const version = String(this.#options.from?.topology ?? 1);
    const letters = this.store.all('deadLetters').map(({ body }) => body as DeadLetter);
    const deadLettered = letters.filter((letter) => letter.kind !== 'late' && letter.version === version).length;
    const rounded = Math.round(seconds * 1000) / 1000;
    return {
      pipeline: this.#graph.name,
      events,
      panes,
      late,
      deadLettered,
      seconds: rounded,
      eventsPerSecond: Math.round(events / seconds),
    };
  }
}

/** @throws {ConfigurationError} for messages of which a replay cannot know when they came */
function refuseTimelessMessages({ sources }: Plan): void {
  for (const { node } of sources)
    if (node.source.kind === 'pubSub' && isTimeless(node))
      throw new ConfigurationError(
        `source '${node.name}' has neither eventTime nor arrivalTime; in a replay (another source has an arrivalTime) nobody knows when its messages came, so give it one`,
      );
}

function filesOf(graph: Graph, inputs: ReadonlyMap<string, string>): Map<string, string> {
  const files = new Map(inputs);
  const sources = graph.nodes.filter((node) => node.kind === 'source');
  for (const [name, path] of inputs)
    if (!sources.some((source) => source.name === name))
      throw new ConfigurationError(
        `pipeline '${graph.name}' has no source '${name}' for ${basename(path)}; its sources are ${sources.map((source) => source.name).join(', ')}`,
      );
  for (const { name, source } of sources) {
    if (files.has(name)) continue;
    if (source.path === undefined)
      throw new ConfigurationError(
        `source '${name}' of pipeline '${graph.name}' has no input; add --input ${name}=FILE`,
      );
    files.set(name, source.path);
  }
  return files;
}
