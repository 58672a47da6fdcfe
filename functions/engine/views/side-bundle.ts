/** One bundle of a stage whose head reads views. Reads views through the `ViewReader`, and nothing else but its own runs. */
import { CorruptionError, TooLargeError } from '../../model/errors.ts';
import type { ViewNode } from '../../model/graph.ts';
import type { LateRecord } from '../../model/late.ts';
import { type EpochMillis, earlier, MAX_TIMESTAMP } from '../../model/time.ts';
import { sameWindow, sideWindowFor, type Window } from '../../model/windows.ts';
import type { Envelope } from '../../ports/bus.ts';
import type { Document, DocumentName } from '../../ports/store.ts';
import { BundleOutput } from '../chain/bundle-output.ts';
import type { Receive } from '../chain/receive.ts';
import { type DeadLetter, type DeadLetterPlace, elementDeadLetter, lateDeadLetter } from '../dead-letter.ts';
import type { Element } from '../element.ts';
import { decodeBody, encodeElement, type Incoming } from '../element-codec.ts';
import type { RootDraft } from '../protocol/root.ts';
import { adoptInput, adoptKnown } from '../shard/watermarks.ts';
import { type BundleResult, type KnownWatermarks, noCounts } from '../shard/work.ts';
import { ViewUnreadableError } from './chunk-reader.ts';
import { pointerId, runPrefix } from './names.ts';
import { lastWithoutPane } from './readiness.ts';
import type { SideSetting } from './side-work.ts';
import type { Look } from './view-reader.ts';
import {
  readingState,
  type ReadingState,
  sidesKey,
  type SideWindow,
  type Waiting,
  type WaitingRun,
  withWaiting,
} from './waiting.ts';
import type { WaitingBody, WaitingRuns } from './waiting-runs.ts';

/** How many waiting elements go on in one bundle; the rest follows in the next. */
const MOST_RELEASED = 5_000;

/** Elements that have just come and must wait. */
interface Parked {
  readonly sides: readonly SideWindow[];
  readonly texts: string[];
  hold: EpochMillis;
}

export class SideBundle implements BundleResult {
  readonly counts = noCounts();
  output = new BundleOutput();
  readonly sets: Document[] = [];
  readonly deletes: DocumentName[] = [];
  readonly letters: DeadLetter[] = [];
  characters = 0;
  more = false;
  readonly #setting: SideSetting;
  readonly #draft: RootDraft;
  readonly #runs: WaitingRuns;
  readonly #known: KnownWatermarks;
  readonly #place: (i: number) => DeadLetterPlace;
  readonly #looks = new Map<string, Look>();
  readonly #sides = new Map<string, readonly SideWindow[]>();
  readonly #parked = new Map<string, Parked>();
  readonly #enter: Receive;
  /** Elements of the last group that went on. */
  #released: readonly Incoming[] = [];
  /** The main window of the last element that went through: others of it do too. */
  #passing: Window | undefined;
  #waiting: Map<string, Waiting>;
  #state: ReadingState;

  constructor(
    setting: SideSetting,
    draft: RootDraft,
    runs: WaitingRuns,
    known: KnownWatermarks,
    place: (i: number) => DeadLetterPlace,
  ) {
    this.#setting = setting;
    this.#draft = draft;
    this.#runs = runs;
    this.#known = { ...known, views: new Map(known.views) };
    this.#place = place;
    this.#enter = setting.chain.entry(setting.node.name);
    this.#state = readingState(draft);
    this.#waiting = new Map(this.#state.waiting.map((entry) => [sidesKey(entry.sides), entry]));
  }

  /** Whether a window of a view was ready, or gone, in this bundle. */
  isReady({ view, start }: SideWindow): boolean {
    const look = this.#looks.get(lookKey(view, start));
    return look !== undefined && look.state !== 'waiting';
  }

  /** How far a view was known to be in this bundle. */
  revisionOf(view: string): number {
    return this.#known.views.get(view)?.revision ?? 0;
  }

  async run(envelopes: readonly Envelope[]): Promise<this> {
    const { chain, sides } = this.#setting;
    await chain.begin(this.#draft.processingTime);
    const arrived = this.#open(envelopes);
    adoptInput(this.#draft, envelopes);
    await this.#look(arrived);
    sides.begin((view, window) => this.#shown(view, window));
    await this.#release();
    for (const incoming of arrived)
      for (const window of incoming.windows) {
        const pending = this.#take(incoming.windows.length === 1 ? incoming : { ...incoming, windows: [window] });
        if (pending !== undefined) await pending;
      }
    this.output = await chain.finish();
    await this.#refuseTooMuch();
    for (const { error } of this.output.failures) if (error instanceof ViewUnreadableError) throw error;
    adoptKnown(this.#draft, this.#known);
    this.#park();
    this.#finish();
    return this;
  }

  #open(envelopes: readonly Envelope[]): Incoming[] {
    const arrived: Incoming[] = [];
    for (const envelope of envelopes) {
      if (this.#draft.isTaken(envelope.sender, envelope.number)) continue;
      this.#draft.take(envelope.sender, envelope.number);
      this.counts.elements += envelope.count;
      arrived.push(...decodeBody(envelope.body));
    }
    return arrived;
  }

  /** Looks once for each window of a view that an element needs, so that all elements of a bundle see the same (SI06). */
  async #look(arrived: readonly Incoming[]): Promise<void> {
    const wanted = new Map<string, SideWindow>();
    const want = (sides: readonly SideWindow[]): void => {
      for (const side of sides) wanted.set(lookKey(side.view, side.start), side);
    };
    for (const { sides } of this.#waiting.values()) want(sides);
    let last: Window | undefined;
    for (const { windows } of arrived)
      for (const window of windows) {
        if (last !== undefined && sameWindow(last, window)) continue;
        want(this.#sidesOf(window));
        last = window;
      }
    const now = this.#draft.processingTime;
    const look = async ([key, side]: [string, SideWindow]): Promise<void> => {
      const fact = this.#known.views.get(side.view);
      const found = await this.#setting.views.look(this.#viewOf(side), side, fact, now);
      if (found.state === 'ready') await found.shown.prepare();
      this.#looks.set(key, found);
    };
    await Promise.all([...wanted].map(look));
  }

  /** Those that waited go on before those that have just come. */
  async #release(): Promise<void> {
    let room = Math.min(MOST_RELEASED, this.#known.deliveries ?? MOST_RELEASED);
    for (const [key, entry] of this.#waiting) {
      if (room <= 0) break;
      if (!entry.sides.every((side) => this.isReady(side))) continue;
      const { elements, runs } = await this.#takeRuns(key, entry, room);
      for (const incoming of elements) await this.#handOver(incoming, entry.sides);
      this.#released = elements;
      this.#noteWaited(entry, elements.length);
      room -= elements.length;
      if (runs.length === 0) this.#drop(key, entry);
      else this.#waiting.set(key, { ...entry, runs });
    }
    this.more = [...this.#waiting.values()].some(({ sides }) => sides.every((side) => this.isReady(side)));
  }

  /** The first elements of a group, at most so many, and what is left of its runs. Of a run that is larger, the rest is written anew. */
  async #takeRuns(
    key: string,
    { runs }: Waiting,
    most: number,
  ): Promise<{ elements: Incoming[]; runs: readonly WaitingRun[] }> {
    let [whole, count] = [0, 0];
    while (whole < runs.length && count + runs[whole]!.count <= most) count += runs[whole++]!.count;
    const cut = count < most ? runs[whole] : undefined;
    const bodies = await this.#readRuns(cut === undefined ? runs.slice(0, whole) : runs.slice(0, whole + 1));
    const elements = bodies.slice(0, whole).flatMap((body) => decodeBody(body));
    for (const { number } of runs.slice(0, whole)) this.deletes.push({ collection: 'runs', id: this.#runId(number) });
    if (cut === undefined) return { elements, runs: runs.slice(whole) };
    const tuples = JSON.parse(bodies[whole]!) as unknown[];
    const taken = most - count;
    elements.push(...decodeBody(JSON.stringify(tuples.slice(0, taken))));
    const rest: WaitingBody = { elements: JSON.stringify(tuples.slice(taken)) };
    this.sets.push({ collection: 'runs', id: this.#runId(cut.number), body: rest });
    this.characters += rest.elements.length;
    this.#runs.forget(key);
    return { elements, runs: [{ ...cut, count: cut.count - taken }, ...runs.slice(whole + 1)] };
  }

  async #readRuns(runs: readonly WaitingRun[]): Promise<string[]> {
    const ids = runs.map(({ number }) => this.#runId(number));
    const documents = await this.#setting.store.get('runs', ids);
    return documents.map((document, i) => {
      if (document === undefined) throw new CorruptionError(`the waiting elements in runs/${ids[i]} are gone`);
      return (document.body as WaitingBody).elements;
    });
  }

  #runId(number: number): string {
    return `${runPrefix(this.#draft.base.id)}${number}`;
  }

  /** In a bundle of one element that has waited: where it comes to more than any commit holds, it fails. */
  async #refuseTooMuch(): Promise<void> {
    const { refuseAbove } = this.#known;
    const [incoming] = this.#released;
    const { characters } = this.output.weight;
    if (refuseAbove === undefined || incoming === undefined || characters <= refuseAbove) return;
    const { chain, node } = this.#setting;
    await chain.begin(this.#draft.processingTime);
    this.output = await chain.finish();
    const what = `what '${node.name}' makes of one element of key ${incoming.keyText.slice(0, 200)}`;
    const error = new TooLargeError(what, characters, refuseAbove);
    const { inlet, lifted, count, latest } = incoming;
    const received = { inlet, lifted, count, latest };
    const failure = { step: node.name, element: this.#elementOf(incoming), error, received };
    this.letters.push(elementDeadLetter(this.#nextPlace(), failure));
  }

  /** Takes an element of one window that has just come. Behind others that wait for the same, it waits too. */
  #take(incoming: Incoming): void | Promise<void> {
    const window = incoming.windows[0]!;
    if (this.#passing !== undefined && sameWindow(this.#passing, window)) return this.#enter(this.#elementOf(incoming));
    const sides = this.#sidesOf(window);
    const key = sidesKey(sides);
    if (!this.#waiting.has(key) && sides.every((side) => this.isReady(side))) {
      if (!this.#isGone(sides)) this.#passing = window;
      return this.#handOver(incoming, sides);
    }
    const { inlet, keyText, value, timestamp, windows, pane, id } = incoming;
    const text = encodeElement(inlet, keyText, value, { value, timestamp, windows, pane, id });
    const parked = this.#parked.get(key);
    if (parked === undefined) this.#parked.set(key, { sides, texts: [text], hold: timestamp });
    else {
      parked.texts.push(text);
      parked.hold = earlier(parked.hold, timestamp);
    }
    return undefined;
  }

  #handOver(incoming: Incoming, sides: readonly SideWindow[]): void | Promise<void> {
    if (!this.#isGone(sides)) return this.#enter(this.#elementOf(incoming));
    const { key, value, timestamp, windows, id } = incoming;
    const watermark = this.#draft.inputWatermark;
    const [window] = windows as [Window];
    const record: LateRecord<unknown, unknown> = {
      key,
      value,
      count: 1,
      timestamp,
      window,
      watermark,
      reason: 'expired',
    };
    this.letters.push(lateDeadLetter(this.#nextPlace(), { record, id, received: undefined }));
    this.counts.late += 1;
    return undefined;
  }

  #isGone(sides: readonly SideWindow[]): boolean {
    return sides.some(({ view, start }) => this.#looks.get(lookKey(view, start))!.state === 'removed');
  }

  #elementOf({ key, value, timestamp, windows, pane, id }: Incoming): Element {
    return { value: this.#setting.node.keyed ? { key, value } : value, timestamp, windows, pane, id };
  }

  #park(): void {
    const { holds, processingTime, base } = this.#draft;
    let { run: last } = this.#state;
    for (const [key, { sides, texts, hold }] of this.#parked) {
      const before = this.#waiting.get(key);
      let entry = before;
      for (const { run, document, characters } of this.#runs.write(base.id, key, before, texts, last)) {
        this.sets.push(document);
        this.characters += characters;
        entry = withWaiting(entry, sides, run, hold, processingTime);
        last = Math.max(last, run.number);
      }
      holds.move(before?.hold, entry!.hold);
      this.#waiting.set(key, entry!);
    }
    this.#state = { ...this.#state, run: last };
  }

  #drop(key: string, { hold }: Waiting): void {
    this.#draft.holds.move(hold, undefined);
    this.#runs.forget(key);
    this.#waiting.delete(key);
  }

  #noteWaited({ since }: Waiting, count: number): void {
    const { elements, millis } = this.#state.waited;
    const waited = { elements: elements + count, millis: millis + count * (this.#draft.processingTime - since) };
    this.#state = { ...this.#state, waited };
  }

  #finish(): void {
    const seen = Object.fromEntries([...this.#known.views].map(([view, { revision }]) => [view, revision]));
    const waiting = [...this.#waiting.values()];
    this.#draft.extra = { ...this.#state, seen: { ...this.#state.seen, ...seen }, waiting } satisfies ReadingState;
    this.#draft.eventDue = MAX_TIMESTAMP;
    this.#draft.processingDue = MAX_TIMESTAMP;
    for (const failure of this.output.failures) this.letters.push(elementDeadLetter(this.#nextPlace(), failure));
    for (const { kind, count } of this.letters) if (kind !== 'late') this.counts.deadLetters += count;
  }

  /** The windows of views that an element of a main window reads (SI04). */
  #sidesOf(main: Window): readonly SideWindow[] {
    const key = `${main.start}~${main.end}`;
    let sides = this.#sides.get(key);
    if (sides === undefined) {
      sides = this.#setting.node.sides.map(({ view }) => {
        const { start, end } = sideWindowFor(view.strategy.windowFn, main);
        return { view: view.name, start, end, last: lastWithoutPane(view, { start, end }) };
      });
      this.#sides.set(key, sides);
    }
    return sides;
  }

  #viewOf({ view }: SideWindow): ViewNode {
    return this.#setting.node.sides.find((side) => side.view.name === view)!.view;
  }

  #shown(view: ViewNode, window: Window) {
    const look = this.#looks.get(lookKey(view.name, window.start));
    if (look?.state !== 'ready') throw new Error(`${pointerId(view.name, window)} is read before it is ready`);
    return look.shown;
  }

  #nextPlace(): DeadLetterPlace {
    return this.#place(this.letters.length);
  }
}

function lookKey(view: string, start: EpochMillis): string {
  return `${view}~${start}`;
}
