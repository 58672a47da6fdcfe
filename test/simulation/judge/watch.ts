/**
 * Watches a run as it goes: every commit and every published watermark is held against what the world knows to be true.
 * It reads what is written, and never what the engine thinks.
 */
import type { DrainControl } from '../../../functions/engine/control.ts';
import { splitState } from '../../../functions/engine/ingest/split-reader.ts';
import { isShardRoot, parseShardId, sourceOf } from '../../../functions/engine/protocol/names.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import type { BundleCounts } from '../../../functions/engine/shard/work.ts';
import type { Watermarks } from '../../../functions/engine/protocol/watermarks.ts';
import { type EpochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import type { Plan, Stage } from '../../../functions/plan/plan.ts';
import type { Batch } from '../../../functions/ports/store.ts';
import type { Scenario } from '../scenario.ts';
import { KEEPER } from '../world/branches/keeper.ts';
import { tokenIn, tokensIn } from '../world/tokens.ts';
import type { WorldWatcher } from '../world/world.ts';
import { Timers } from './branches/timers.ts';
import { Cells } from './cells.ts';
import { checkCost } from './cost.ts';
import { Counts } from './counts.ts';
import { Numbers } from './numbers.ts';
import { Punctuality } from './punctuality.ts';
import { type Sent, sentBy } from './sent.ts';
import { Violation } from './violation.ts';

export class Watch implements WorldWatcher {
  /** The first rule that was broken. */
  violation: Violation | undefined;
  /** Which records were late already at their source. */
  readonly punctuality: Punctuality;
  /** What instances have counted. */
  readonly counts = new Counts();
  /** When the keeper has told what. */
  readonly timers: Timers;
  readonly #roots = new Map<string, Root>();
  readonly #numbers = new Numbers((stage, elements) => this.counts.taken(stage, elements));
  readonly #cells = new Cells();
  readonly #input: Record<string, EpochMillis> = {};
  readonly #output: Record<string, EpochMillis> = {};
  /** Copies of both, until the next is published. */
  #published: Watermarks | undefined;
  readonly #plan: () => Plan;
  readonly #scenario: Scenario;
  /** Stands before what is published of an epoch; of the first, nothing. */
  readonly #prefix: string;
  /** Roots that a later epoch has written, or removed. */
  readonly #renewed = new Set<string>();

  readonly counted = (stage: string, counts: BundleCounts): void => this.counts.counted(stage, counts);

  /**
   * @param epoch whose watermarks are watched
   * @param roots those that there are
   */
  constructor(scenario: Scenario, plan: () => Plan, epoch = 1, roots: readonly Root[] = []) {
    this.punctuality = new Punctuality(scenario);
    this.timers = new Timers(scenario.pipeline.keeper?.failsFirings === true);
    this.#plan = plan;
    this.#scenario = scenario;
    this.#prefix = epoch === 1 ? '' : `${epoch}:`;
    for (const root of roots) this.#roots.set(root.id, root);
  }

  /** What is published by now. */
  published(): Watermarks {
    this.#published ??= { input: { ...this.#input }, output: { ...this.#output } };
    return this.#published;
  }

  isAllRead(): boolean {
    return this.#scenario.pipeline.sources.every(
      ({ name }) => this.punctuality.sourceWatermark(name) === MAX_TIMESTAMP,
    );
  }

  gaveUp(source: string, token: string): void {
    this.punctuality.gaveUp(source, token);
  }

  root({ sets }: Batch): Root | undefined {
    const root = sets.find(({ collection }) => collection === 'roots');
    return root === undefined ? undefined : this.#roots.get(root.id);
  }

  committed(batch: Batch): void {
    this.#guard(() => {
      for (const { collection, id } of [...batch.sets, ...batch.deletes])
        if (collection === 'roots' && this.#renewed.has(id))
          throw new Violation('nobody of an epoch writes once a later has begun', id);
      const sender = batch.sets.find(({ collection }) => collection === 'roots')?.id ?? '';
      const sent = sentBy(batch);
      this.#noteSent(sender, sent);
      this.#noteTaken(sender, sent, batch);
      for (const { collection, id } of batch.deletes) if (collection === 'outbox') this.#numbers.documentDeleted(id);
      for (const { collection, id, body } of batch.sets) {
        if (collection === 'roots') this.#rootWritten(batch, body as Root);
        if (collection === 'control' && id === 'drain' && (body as DrainControl).closed) this.punctuality.drained();
      }
      for (const { collection, id } of batch.deletes) if (collection === 'roots') this.#rootDeleted(id);
    });
  }

  renewed({ sets, deletes }: Batch): void {
    this.#guard(() => {
      if (this.#prefix !== '')
        throw new Violation(
          'a fresh start that is over changes nothing',
          [...sets, ...deletes].map(({ collection, id }) => `${collection}/${id}`).join(', '),
        );
      for (const { collection, id } of [...sets, ...deletes]) if (collection === 'roots') this.#renewed.add(id);
      for (const { collection, id } of deletes) if (collection === 'roots') this.#roots.delete(id);
    });
  }

  raised(fields: Readonly<Record<string, number>>): void {
    this.#guard(() => {
      for (const each in fields) {
        if (!each.startsWith(this.#prefix)) continue;
        const field = each.slice(this.#prefix.length);
        const [kind, name] = [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1)];
        const at = fields[each] as EpochMillis;
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
      // The engine must not hear of it, whatever it is.
      this.violation =
        error instanceof Violation ? error : new Violation('what is written can be read', (error as Error).stack ?? '');
    }
  }

  #rootWritten(batch: Batch, after: Root): void {
    const before = this.#roots.get(after.id);
    this.#numbers.rootWritten(before, after, (id) => this.#roots.has(id));
    this.#roots.set(after.id, after);
    if (before !== undefined && after.topology < before.topology)
      throw new Violation('an older deployment writes nothing after a newer', `${after.id} by ${after.topology}`);
    if (isShardRoot(after.id)) this.#shardWritten(batch, before, after);
    else if (this.punctuality.isSplit(after.id)) this.#splitRead(after);
  }

  #shardWritten(batch: Batch, before: Root | undefined, after: Root): void {
    const { id, head } = this.#stageOf(after.id);
    this.#checkClocks(id, before, after);
    if (id === KEEPER) this.timers.committed(batch, after);
    const { smallCells = false } = this.#scenario.world;
    checkCost(batch, after.id, head.kind !== 'view' && head.kind !== 'sideParDo', smallCells);
    this.#cells.committed(batch, after, head.kind === 'reduce' || head.kind === 'stateful');
  }

  #rootDeleted(id: string): void {
    this.#numbers.rootDeleted(id);
    this.#roots.delete(id);
  }

  #splitRead(root: Root): void {
    const { watermark, ended, position } = splitState(root);
    this.punctuality.committed(root.id, position);
    const bound = this.punctuality.before(root.id);
    if (!ended && watermark > bound)
      throw new Violation('a source is as far as its records say', `${root.id} at ${watermark}, records at ${bound}`);
  }

  #noteSent(sender: string, sent: readonly Sent[]): void {
    if (sent.length === 0) return;
    const split = this.punctuality.before(sender);
    for (const each of sent) this.#numbers.given(each.document, each.envelope, this.#earliestOf(each, split));
  }

  /** Messages are taken with what they became: elements on their way, or dead letters. */
  #noteTaken(sender: string, sent: readonly Sent[], { sets }: Batch): void {
    const source = sourceOf(sender);
    if (source === undefined) return;
    const letters = sets.filter(({ collection }) => collection === 'deadLetters');
    if (letters.length + sent.length > 0 && !this.punctuality.isSplit(sender) && this.#output[source] === MAX_TIMESTAMP)
      throw new Violation('nothing is read once its source has ended', `${sender} takes in messages of ${source}`);
    for (const { body } of letters) {
      const token = tokenIn((body as { value: unknown }).value);
      if (token !== undefined) this.punctuality.taken(source, token);
    }
    for (const { envelope, elements } of sent) {
      // What comes from messages goes nowhere else directly, and rows are no elements.
      if (this.#stageOf(envelope.target).head.kind === 'writeBigQuery') continue;
      for (const { value } of elements()) for (const taken of tokensIn(value)) this.punctuality.taken(source, taken);
    }
  }

  #checkClocks(stage: string, before: Root | undefined, after: Root): void {
    if (before !== undefined) {
      checkForward(before, after, 'inputWatermark');
      checkForward(before, after, 'outputWatermark');
      checkForward(before, after, 'processingTime');
    }
    const [input = MIN_TIMESTAMP, output = MIN_TIMESTAMP] = [this.#input[stage], this.#output[stage]];
    if (after.inputWatermark > input || after.outputWatermark > output)
      throw new Violation('a shard knows only watermarks that were published', after.id);
  }

  #raise(known: Record<string, EpochMillis>, name: string, at: EpochMillis, check: () => void): void {
    if (at <= (known[name] ?? MIN_TIMESTAMP)) return;
    known[name] = at;
    this.#published = undefined;
    check();
  }

  /** No element that was in time is on its way to a stage with an earlier timestamp. */
  #checkInput(stage: string, watermark: number): void {
    for (const flow of this.#numbers.flowsTo(stage))
      for (const { envelope, earliest } of flow.inFlight.values())
        if (earliest !== undefined && earliest < watermark)
          throw new Violation(
            'the watermark never passes what is in flight',
            `${stage} at ${watermark}, ${flow.nameOf(envelope.number)} at ${earliest}`,
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

  /** What has no panes sends nothing behind its watermark, when nothing was late before: whatever waits there is held. */
  #checkPunctual(sender: string, earliest: number, reached: number): void {
    const { kind } = this.#stageOf(sender).head;
    if (kind !== 'reduce' && kind !== 'view' && earliest < reached)
      throw new Violation('what was in time leaves in time', `${sender} sends ${earliest} at ${reached}`);
  }

  /**
   * The earliest element of an envelope that was not late when it was sent: not behind what was published of its sender,
   * as the empty pane of a window that expires may be, and not the repetition of what was sent before.
   * @param split how far the sender was, if it is a split
   */
  #earliestOf({ envelope: { sender, target, earliest }, elements }: Sent, split: number): number | undefined {
    const isSource = !isShardRoot(sender);
    if (sender.startsWith('replay~')) return undefined;
    if (!isSource && !this.punctuality.allInTime) return undefined;
    const reached = isSource ? split : (this.#output[this.#stageOf(sender).id] ?? MIN_TIMESTAMP);
    if (!isSource) this.#checkPunctual(sender, earliest, reached);
    if (this.#stageOf(target).head.kind === 'writeBigQuery') return earliest < reached ? undefined : earliest;
    const source = isSource && !this.punctuality.isSplit(sender) ? sourceOf(sender) : undefined;
    let first: number | undefined;
    for (const { timestamp, value } of elements()) {
      const isInTime =
        source === undefined
          ? timestamp >= reached
          : tokensIn(value).some((token) => this.punctuality.isAwaited(source, token));
      if (isInTime && (first === undefined || timestamp < first)) first = timestamp;
    }
    return first;
  }

  /** The stage of a shard. */
  #stageOf(shard: string): Stage {
    return this.#plan().stage(parseShardId(shard).stage);
  }
}

function checkForward(before: Root, after: Root, clock: 'inputWatermark' | 'outputWatermark' | 'processingTime'): void {
  if (after[clock] < before[clock])
    throw new Violation('clocks only move forward', `${clock} of ${after.id} from ${before[clock]} to ${after[clock]}`);
}
