/**
 * Watches a run as it goes: every commit and every published watermark is held against what the world knows to be true.
 * It reads what is written, and never what the engine thinks.
 */
import { decodeBody } from '../../../functions/engine/element-codec.ts';
import { splitState } from '../../../functions/engine/ingest/split-reader.ts';
import { parseShardId } from '../../../functions/engine/protocol/names.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import type { Watermarks } from '../../../functions/engine/protocol/watermarks.ts';
import { type EpochMillis, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import type { Plan } from '../../../functions/plan/plan.ts';
import type { Envelope } from '../../../functions/ports/bus.ts';
import type { Batch } from '../../../functions/ports/store.ts';
import type { Scenario } from '../scenario.ts';
import type { StoreWatcher } from '../world/store.ts';
import { Cells } from './cells.ts';
import { Numbers } from './numbers.ts';
import { Punctuality } from './punctuality.ts';
import { Violation } from './violation.ts';

export class Watch implements StoreWatcher {
  /** The first rule that was broken. */
  violation: Violation | undefined;
  /** Which records were late already at their source. */
  readonly punctuality: Punctuality;
  readonly #roots = new Map<string, Root>();
  readonly #numbers: Numbers;
  readonly #cells = new Cells();
  readonly #input: Record<string, EpochMillis> = {};
  readonly #output: Record<string, EpochMillis> = {};
  readonly #plan: () => Plan;
  #sends: { readonly sender: string; readonly watermark: number } = { sender: '', watermark: MIN_TIMESTAMP };

  constructor(scenario: Scenario, plan: () => Plan) {
    this.punctuality = new Punctuality(scenario);
    this.#plan = plan;
    this.#numbers = new Numbers((envelope) => this.#earliestOf(envelope));
  }

  /** What is published by now. */
  published(): Watermarks {
    return { input: { ...this.#input }, output: { ...this.#output } };
  }

  root({ sets }: Batch): Root | undefined {
    const root = sets.find(({ collection }) => collection === 'roots');
    return root === undefined ? undefined : this.#roots.get(root.id);
  }

  committed(batch: Batch): void {
    this.#guard(() => {
      for (const { collection, body } of batch.sets) if (collection === 'roots') this.#rootWritten(batch, body as Root);
    });
  }

  raised(fields: Readonly<Record<string, number>>): void {
    this.#guard(() => {
      for (const field in fields) {
        const [kind, name] = [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1)];
        const at = fields[field] as EpochMillis;
        if (kind === 'in') this.#raise(this.#input, name, at, () => this.#checkInput(name, at));
        if (kind === 'out') this.#raise(this.#output, name, at, () => this.#checkOutput(name, at));
      }
    });
  }

  #guard(check: () => void): void {
    if (this.violation !== undefined) return;
    try {
      check();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.violation = error;
    }
  }

  #rootWritten(batch: Batch, after: Root): void {
    const before = this.#roots.get(after.id);
    this.#sends = { sender: after.id, watermark: this.punctuality.before(after.id) };
    this.#numbers.committed(batch, before, after, (id) => this.#roots.has(id));
    this.#roots.set(after.id, after);
    if (after.id.startsWith('ingest~')) {
      this.punctuality.committed(after.id, splitState(after).position);
      const { watermark, ended } = splitState(after);
      const bound = this.punctuality.before(after.id);
      if (!ended && watermark > bound)
        throw new Violation(
          'a source is as far as its records say',
          `${after.id} at ${watermark}, records at ${bound}`,
        );
      return;
    }
    this.#checkClocks(before, after);
    this.#cells.committed(batch, after);
  }

  #checkClocks(before: Root | undefined, after: Root): void {
    const { stage } = parseShardId(after.id);
    for (const clock of ['inputWatermark', 'outputWatermark', 'processingTime'] as const)
      if (before !== undefined && after[clock] < before[clock])
        throw new Violation(
          'clocks only move forward',
          `${clock} of ${after.id} from ${before[clock]} to ${after[clock]}`,
        );
    const [input = MIN_TIMESTAMP, output = MIN_TIMESTAMP] = [this.#input[stage], this.#output[stage]];
    if (after.inputWatermark > input || after.outputWatermark > output)
      throw new Violation('a shard knows only watermarks that were published', after.id);
  }

  #raise(known: Record<string, EpochMillis>, name: string, at: EpochMillis, check: () => void): void {
    if (at <= (known[name] ?? MIN_TIMESTAMP)) return;
    known[name] = at;
    check();
  }

  /** No element that was in time is on its way to a stage with an earlier timestamp. */
  #checkInput(stage: string, watermark: number): void {
    for (const flying of this.#numbers.inFlight.values())
      for (const { envelope, earliest } of flying.values())
        if (earliest !== undefined && earliest < watermark && parseShardId(envelope.target).stage === stage)
          throw new Violation(
            'the watermark never passes what is in flight',
            `${stage} at ${watermark}, ${envelope.sender} -> ${envelope.target} #${envelope.number} at ${earliest}`,
          );
  }

  #checkOutput(name: string, watermark: number): void {
    const source = this.punctuality.sourceWatermark(name);
    if (source !== undefined) {
      if (watermark > source)
        throw new Violation('a source is as far as its slowest split', `${name} at ${watermark}, not ${source}`);
      return;
    }
    if (!this.punctuality.allInTime) return;
    const hold = this.#cells.earliestHold(name);
    if (watermark > hold)
      throw new Violation('the watermark never passes what is held', `${name} at ${watermark} passes ${hold}`);
  }

  /**
   * The earliest element of an envelope that was not late when it was sent: not behind what was published of its sender,
   * as the empty pane of a window that expires may be.
   */
  #earliestOf({ sender, target, body, earliest }: Envelope): number | undefined {
    const isSource = sender.startsWith('ingest~');
    if (!isSource && !this.punctuality.allInTime) return undefined;
    const bound = isSource ? this.#sends.watermark : (this.#output[parseShardId(sender).stage] ?? MIN_TIMESTAMP);
    if (this.#plan().stage(parseShardId(target).stage).head.kind === 'writeBigQuery')
      return earliest < bound ? undefined : earliest;
    const inTime = decodeBody(body)
      .map(({ timestamp }) => timestamp)
      .filter((at) => at >= bound);
    return inTime.length === 0 ? undefined : Math.min(...inTime);
  }
}
