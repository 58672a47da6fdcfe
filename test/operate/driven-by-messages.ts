import type { SourceMessage } from '../../functions/engine/ingest/source-message.ts';
import { writeControl } from '../../functions/engine/control.ts';
import { MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { SeededIds } from '../../functions/local/virtual-clock.ts';
import type { Graph } from '../../functions/model/graph.ts';
import { replayLetters } from '../../functions/operate/replay/replay-letters.ts';
import type { ReplayOutcome } from '../../functions/operate/replay/replayer.ts';
import { Driven } from './driven.ts';

const HOUR = 3_600_000;

/** A pipeline whose only source takes messages, which may be delivered any number of times. */
export class DrivenByMessages extends Driven {
  constructor(graph: Graph) {
    super(graph, new MemoryWarehouse(), {}, 'messages');
  }

  message(id: string, data: unknown, attributes: Readonly<Record<string, string>> = {}): SourceMessage {
    return { id, publishTime: this.clock.now(), data, attributes };
  }

  /** Delivers a message to an ingest instance; what it becomes waits on the bus. */
  offer(message: SourceMessage): Promise<void> {
    return this.embedded.offer(this.#source, message);
  }

  async deliver(message: SourceMessage): Promise<void> {
    await this.offer(message);
    await this.settle();
  }

  /** The source may deliver the message again: its answer was lost. */
  keepBack(message: SourceMessage): void {
    this.backlog.published(this.#source, message.id, message.publishTime);
  }

  /** Replays, and delivers nothing of what waits on the bus. */
  async replayOnly(setting = this.replaySetting()): Promise<ReplayOutcome[]> {
    const outcomes: ReplayOutcome[] = [];
    for await (const outcome of replayLetters(setting, { filter: {} })) outcomes.push(outcome);
    return outcomes;
  }

  /** Replays, but what comes of it is lost on its way; a sweep has to send it again. */
  async replayUnpublished(): Promise<void> {
    await this.replayOnly({ ...this.replaySetting(), bus: new MemoryBus(new SeededIds(1)) });
  }

  /** Sweeps send nothing to the stage, or go on with it. */
  async pause(stage: string, paused: boolean): Promise<void> {
    const [stored] = await this.store.get('control', ['paused']);
    const stages = paused ? { [stage]: { since: this.clock.now(), delivery: {} } } : {};
    const before = stored && { body: stored.body as never, version: stored.version };
    await writeControl(this.store, 'paused', { stages }, before);
  }

  /** Lets two days go by, so that daily windows have closed, and writes what waits for tables. */
  async end(): Promise<void> {
    for (let hour = 0; hour < 48; hour++) await this.pass(HOUR);
    await this.embedded.flush();
    await this.settle();
  }

  get #source(): string {
    return this.plan.sources[0]!.id;
  }
}
