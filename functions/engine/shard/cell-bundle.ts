/**
 * One bundle of a shard, from envelopes to the batch that commits it. It does no I/O but through the cache it is given,
 * reads no clock, and changes nothing outside the cache; when the batch is not committed the cache is thrown away.
 *
 * Order within a bundle: duplicates are left out; the elements are taken at the watermark that their senders knew, after
 * what is due by it for their keys; then the newest watermark is adopted and everything that is due by it fires. So
 * whether an element is late depends on when it was sent, not on how the shard's messages happened to be bundled.
 */
import { TooLargeError } from '../../model/errors.ts';
import { LATE_OUTPUT, MAIN_OUTPUT } from '../../model/graph.ts';
import { earlier } from '../../model/time.ts';
import type { Envelope } from '../../ports/bus.ts';
import type { Document, DocumentName } from '../../ports/store.ts';
import { BundleOutput, type StepFailure } from '../chain/bundle-output.ts';
import type { Chain } from '../chain/chain.ts';
import { eachInTurn } from '../chain/receive.ts';
import {
  type DeadLetter,
  type DeadLetterPlace,
  elementDeadLetter,
  firingDeadLetter,
  lateDeadLetter,
} from '../dead-letter.ts';
import type { Element } from '../element.ts';
import type { Incoming } from '../element-codec.ts';
import type { IdIndex } from '../ids/id-index.ts';
import { openEnvelopes } from '../ids/open-envelopes.ts';
import { hasDueTimers, type RootDraft } from '../protocol/root.ts';
import type { CellContext } from './cell.ts';
import { KeyOutput, lateElement } from './key-output.ts';
import type { CachedCell, CellCache } from './cell-cache.ts';
import { adoptInput, adoptKnown } from './watermarks.ts';
import { BundleTooLarge, MOST_IN_MEMORY } from './lots.ts';
import { type BundleResult, type KnownWatermarks, noCounts } from './work.ts';

/** How many cells fire in one bundle, and about how many deliveries they make; the rest follows in the next. */
const MAX_FIRING_CELLS = 400;
const MAX_DELIVERIES = 1_000;
/** No further cell fires when those that did, and what they have made, take this much to write. */
const MAX_FIRING_CHARACTERS = 400_000;

export class CellBundle implements BundleResult {
  counts = noCounts();
  output = new BundleOutput();
  readonly sets: Document[] = [];
  readonly deletes: DocumentName[] = [];
  readonly letters: DeadLetter[] = [];
  /** Roughly what the cells weigh, in characters. */
  characters = 0;
  /** Whether more cells are due than fired. */
  more = false;
  readonly #draft: RootDraft;
  readonly #cache: CellCache;
  readonly #chain: Chain;
  readonly #readsLate: boolean;
  readonly #place: (i: number) => DeadLetterPlace;
  readonly #ids: IdIndex | undefined;
  readonly #touched = new Map<string, CachedCell>();
  readonly #budget = { left: MAX_DELIVERIES };

  /** @param ids where this stage is the first to take a source's elements by their ids */
  constructor(
    draft: RootDraft,
    cache: CellCache,
    chain: Chain,
    readsLate: boolean,
    place: (i: number) => DeadLetterPlace,
    ids?: IdIndex,
  ) {
    this.#draft = draft;
    this.#cache = cache;
    this.#chain = chain;
    this.#readsLate = readsLate;
    this.#place = place;
    this.#ids = ids;
  }

  async run(envelopes: readonly Envelope[], known: KnownWatermarks): Promise<this> {
    await this.#chain.begin(this.#draft.processingTime);
    this.#cache.begin(known, this.#draft.processingTime);
    this.#budget.left = Math.min(MAX_DELIVERIES, known.deliveries ?? MAX_DELIVERIES);
    const byKey = await this.#open(envelopes);
    await this.#cache.load(byKey.keys());
    adoptInput(this.#draft, envelopes);
    const context = this.#context();
    for (const elements of byKey.values()) {
      const pending = this.#takeElements(elements[0]!.keyText, elements, context);
      if (pending !== undefined) await pending;
      this.#checkMemory();
    }
    adoptKnown(this.#draft, known);
    if (known.refuseAbove === undefined) {
      await this.#fireDue();
      this.output = await this.#chain.finish();
    } else await this.#fireAlone(known.refuseAbove);
    this.#writeCells();
    if (this.#ids !== undefined) await this.#writeIds(this.#ids);
    this.more = hasDueTimers(this.#draft, this.#draft.inputWatermark, this.#draft.processingTime);
    for (const failure of this.output.failures) this.letters.push(elementDeadLetter(this.#nextPlace(), failure));
    for (const { kind, count } of this.letters) if (kind !== 'late') this.counts.deadLetters += count;
    return this;
  }

  /** The elements of each key, without repetitions. */
  async #open(envelopes: readonly Envelope[]): Promise<Map<string, Incoming[]>> {
    const { elements, duplicates } = await openEnvelopes(this.#draft, envelopes, this.#ids);
    this.counts.duplicates = duplicates;
    this.counts.elements = duplicates;
    const byKey = new Map<string, Incoming[]>();
    for (const incoming of elements) {
      this.counts.elements += incoming.count;
      const ofKey = byKey.get(incoming.keyText);
      if (ofKey === undefined) byKey.set(incoming.keyText, [incoming]);
      else ofKey.push(incoming);
    }
    return byKey;
  }

  #takeElements(key: string, elements: readonly Incoming[], context: CellContext): void | Promise<void> {
    const cached = this.#touch(key);
    const output = new KeyOutput();
    try {
      let pending = isDue(cached, context) ? cached.cell.advance(context, output) : undefined;
      if (pending === undefined) pending = cached.cell.process(elements, context, output);
      else pending = pending.then(() => cached.cell.process(elements, context, output));
      if (pending !== undefined)
        return pending.then(
          () => this.#forward(key, output),
          () => this.#takeEachAlone(key, elements, context),
        );
    } catch {
      return this.#takeEachAlone(key, elements, context);
    }
    return this.#forward(key, output);
  }

  /** User code has thrown: from the state before, every element by itself, and those that throw again are dead letters. */
  async #takeEachAlone(key: string, elements: readonly Incoming[], context: CellContext): Promise<void> {
    const cached = await this.#cache.reload(key);
    this.#touched.set(key, cached);
    for (const incoming of elements) {
      const undo = this.#cache.checkpoint(cached);
      const output = new KeyOutput();
      try {
        if (isDue(cached, context)) await cached.cell.advance(context, output);
        await cached.cell.process([incoming], context, output);
      } catch (error) {
        this.#cache.throwFailure(error);
        undo();
        await this.#fail(cached, incoming, error, context);
        continue;
      }
      await this.#forward(key, output);
    }
  }

  /** It was tried with its bundle and then alone. */
  #fail(cached: CachedCell, incoming: Incoming, error: unknown, context: CellContext): void | Promise<void> {
    const output = new KeyOutput();
    if (cached.cell.failed === undefined) output.elementFailed(incoming, error, 2);
    else cached.cell.failed(incoming, error, 2, context, output);
    return this.#forward(cached.key, output);
  }

  async #fireDue(): Promise<void> {
    const context = this.#context();
    const { budget } = context;
    const due = await this.#findDue(context, MAX_FIRING_CELLS);
    const { characters: before } = this.#chain.weight;
    let characters = 0;
    for (const key of due) {
      if (budget.left <= 0 || characters + this.#chain.weight.characters - before > MAX_FIRING_CHARACTERS) {
        this.#cache.stillDue(key);
        continue;
      }
      const cached = this.#touch(key);
      const pending = this.#fire(cached, context);
      if (pending !== undefined) await pending;
      characters += weightOf(cached);
    }
  }

  /** Fires what is due first. When what it makes is above the limit, it is given up instead. */
  async #fireAlone(limit: number): Promise<void> {
    const context = this.#context();
    context.budget.left = 1;
    const [key, ...others] = await this.#findDue(context, 1);
    for (const other of others) this.#cache.stillDue(other);
    if (key === undefined) {
      this.output = await this.#chain.finish();
      return;
    }
    const cached = this.#touch(key);
    const undo = this.#cache.checkpoint(cached);
    await this.#fire(cached, context);
    this.output = await this.#chain.finish();
    const characters = weightOf(cached) + this.output.weight.characters;
    if (characters <= limit) return;
    undo();
    this.counts = { ...noCounts(), duplicates: this.counts.duplicates, elements: this.counts.elements };
    this.letters.length = 0;
    context.budget.left = 1;
    await this.#chain.begin(this.#draft.processingTime);
    const what = `what a firing of key ${key.slice(0, 200)} in '${this.#stage}' makes`;
    await this.#fire(cached, { ...context, refused: new TooLargeError(what, characters, limit) });
    this.output = await this.#chain.finish();
  }

  /** The keys of cells that are due, at most so many by each clock; they are loaded. */
  async #findDue(context: CellContext, most: number): Promise<Set<string>> {
    await this.#cache.findDue('event', context.inputWatermark);
    await this.#cache.findDue('processing', context.processingTime);
    const { eventDue, processingDue } = this.#cache;
    // Cells of this bundle are not in the queues yet with what it has changed.
    for (const cached of this.#touched.values()) {
      eventDue.set(cached.key, cached.cell.eventDue());
      processingDue.set(cached.key, cached.cell.processingDue());
    }
    const due = new Set(eventDue.take(context.inputWatermark, most));
    for (const key of processingDue.take(context.processingTime, most)) due.add(key);
    await this.#cache.load(due);
    return due;
  }

  /** What fires takes from the budget: at least one. */
  #fire(cached: CachedCell, context: CellContext & { readonly budget: { left: number } }): void | Promise<void> {
    const { budget } = context;
    const { left } = budget;
    const output = new KeyOutput();
    const fired = (): void | Promise<void> => {
      if (budget.left === left) budget.left -= 1;
      return this.#forward(cached.key, output);
    };
    const pending = cached.cell.advance(context, output);
    return pending === undefined ? fired() : pending.then(fired);
  }

  /** @throws {BundleTooLarge} once it is known that the bundle is; the rest of it need not be run */
  #checkMemory(): void {
    const { characters } = this.#chain.weight;
    if (characters > MOST_IN_MEMORY) throw new BundleTooLarge(characters);
  }

  /** Hands on what a key produced: panes into the chain, late elements to their output or the dead letters. */
  #forward(key: string, output: KeyOutput): void | Promise<void> {
    if (output.isEmpty) return;
    const { emitted: panes } = output;
    for (let i = 0; i < panes.length; i++) this.counts.panes[panes[i]!.pane.timing] += 1;
    if (output.hasTrouble) this.#noteTrouble(key, output);
    const emitted = eachInTurn(panes, this.#chain.entry(MAIN_OUTPUT));
    if (output.emittedTo.length + output.lateElements.length === 0) return emitted;
    return emitted === undefined ? this.#forwardRest(output) : emitted.then(() => this.#forwardRest(output));
  }

  #noteTrouble(key: string, { failed, failedElements, lateElements }: KeyOutput): void {
    for (const failure of failed) this.letters.push(firingDeadLetter(this.#nextPlace(), JSON.parse(key), failure));
    for (const { record } of lateElements) this.counts.late += record.count;
    for (const { element, error, attempts } of failedElements)
      this.letters.push(elementDeadLetter(this.#nextPlace(), failureOf(this.#stage, element, error, attempts)));
    if (!this.#readsLate) for (const late of lateElements) this.letters.push(lateDeadLetter(this.#nextPlace(), late));
  }

  #forwardRest({ emittedTo, lateElements }: KeyOutput): void | Promise<void> {
    const others = eachInTurn(emittedTo, ({ output, element }) => this.#chain.entry(output)(element));
    if (!this.#readsLate) return others;
    const late = this.#chain.entry(LATE_OUTPUT);
    const rest = (): void | Promise<void> => eachInTurn(lateElements, (each) => late(lateElement(each)));
    return others === undefined ? rest() : others.then(rest);
  }

  #writeCells(): void {
    const { holds } = this.#draft;
    for (const cached of this.#touched.values()) {
      const hold = cached.cell.hold();
      holds.move(cached.hold, hold);
      cached.hold = hold;
      const wasStored = cached.stored;
      const change = this.#cache.changed(cached);
      this.characters += change.characters;
      if (change.set !== undefined) this.sets.push(change.set);
      if (change.delete !== undefined) this.deletes.push(change.delete);
      this.sets.push(...change.parts.sets);
      this.deletes.push(...change.parts.deletes);
      if (change.set !== undefined && !wasStored) this.#draft.cells += 1;
      if (change.delete !== undefined) this.#draft.cells -= 1;
    }
    const { eventDue, processingDue } = this.#cache;
    this.#draft.eventDue = eventDue.next();
    this.#draft.processingDue = processingDue.next();
  }

  async #writeIds(ids: IdIndex): Promise<void> {
    const { sets, deletes, characters, due } = await ids.finish(this.#draft);
    this.sets.push(...sets);
    this.deletes.push(...deletes);
    this.characters += characters;
    this.#draft.processingDue = earlier(this.#draft.processingDue, due);
  }

  #touch(key: string): CachedCell {
    let cached = this.#touched.get(key);
    if (cached === undefined) {
      cached = this.#cache.cell(key);
      this.#touched.set(key, cached);
    }
    return cached;
  }

  #context(): CellContext & { readonly budget: { left: number } } {
    const { inputWatermark, outputWatermark, processingTime } = this.#draft;
    return { inputWatermark, outputWatermark, processingTime, budget: this.#budget };
  }

  get #stage(): string {
    return this.#place(0).stage;
  }

  #nextPlace(): DeadLetterPlace {
    return this.#place(this.letters.length);
  }
}

function isDue({ cell }: CachedCell, context: CellContext): boolean {
  if (context.budget !== undefined && context.budget.left <= 0) return false;
  return cell.eventDue() <= context.inputWatermark || cell.processingDue() <= context.processingTime;
}

/** About what a cell and its parts take to write, in characters. */
function weightOf({ cell, parts }: CachedCell): number {
  return (cell.encode()?.length ?? 0) + parts.characters;
}

function failureOf(step: string, incoming: Incoming, error: unknown, attempts: number): StepFailure {
  const { key, value, timestamp, windows, pane, id, inlet, lifted, count, latest } = incoming;
  const element: Element = { value: { key, value }, timestamp, windows, pane, id };
  return { step, element, error, received: { inlet, lifted, count, latest }, attempts };
}
