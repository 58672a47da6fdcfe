/** One bundle of a view's shard. Pure: it reads neither clock nor store. */
import type { ViewNode } from '../../model/graph.ts';
import type { LateRecord } from '../../model/late.ts';
import { type EpochMillis, earlier, later, MAX_TIMESTAMP } from '../../model/time.ts';
import { maxTimestamp, type Window } from '../../model/windows.ts';
import type { Envelope } from '../../ports/bus.ts';
import type { Document, DocumentName } from '../../ports/store.ts';
import { BundleOutput } from '../chain/bundle-output.ts';
import { type DeadLetter, type DeadLetterPlace, firingDeadLetter, lateDeadLetter } from '../dead-letter.ts';
import { decodeBody, type Incoming } from '../element-codec.ts';
import type { RootDraft } from '../protocol/root.ts';
import type { LateInput, Pane, ReduceContext, ReduceInput, ReduceOutput } from '../reduce/contract.ts';
import { KeyReduction } from '../reduce/key-reduction.ts';
import type { ReduceSpec } from '../reduce/spec.ts';
import { adoptInput, adoptKnown } from '../shard/watermarks.ts';
import { type BundleResult, type KnownWatermarks, noCounts } from '../shard/work.ts';
import { lineBytes } from './entries.ts';
import { GarbageBin, hasDueGarbage } from './garbage.ts';
import { keepState } from './keep-state.ts';
import { headId, pointerId } from './names.ts';
import type { OpenRuns } from './open-runs.ts';
import { lineOf } from './outlets.ts';
import { withElements, withPane } from './panes.ts';
import { headDocument, type Lines, pointerDocument } from './pointer.ts';
import { ViewTooLargeError } from './problems.ts';
import { withDueLoad } from './refresh.ts';
import type { Span } from './span.ts';
import {
  findWindow,
  hasHead,
  newViewWindow,
  revised,
  viewState,
  type ViewState,
  type ViewWindow,
  withWindow,
} from './view-state.ts';

/** A bundle's elements of one window. */
interface Group extends ReduceInput {
  readonly elements: Incoming[];
  readonly lines: string[];
  bytes: number;
  value: Span;
  count: number;
  timestamp: EpochMillis;
  latest: EpochMillis;
}

export class ViewBundle implements BundleResult, ReduceOutput<Span, Group> {
  readonly counts = noCounts();
  readonly output = new BundleOutput();
  sets: Document[] = [];
  readonly deletes: DocumentName[] = [];
  readonly letters: DeadLetter[] = [];
  characters = 0;
  more = false;
  readonly #node: ViewNode;
  readonly #spec: ReduceSpec<never, Span, Span>;
  readonly #draft: RootDraft;
  readonly #runs: OpenRuns;
  readonly #bin: GarbageBin;
  /** Nobody reads windows any more whose last instant is before this. */
  readonly #passed: EpochMillis;
  readonly #place: (i: number) => DeadLetterPlace;
  readonly #late = new Set<Group>();
  #fired: Pane<Span>[] = [];
  #state: ViewState;

  constructor(
    node: ViewNode,
    spec: ReduceSpec<never, Span, Span>,
    draft: RootDraft,
    runs: OpenRuns,
    passed: EpochMillis,
    place: (i: number) => DeadLetterPlace,
  ) {
    this.#node = node;
    this.#spec = spec;
    this.#draft = draft;
    this.#runs = runs;
    this.#place = place;
    this.#state = viewState(draft);
    // This instance may not know yet what another one has acted on.
    this.#passed = later(passed, this.#state.removed);
    this.#bin = new GarbageBin(this.#state.garbage, node.name, draft.base.id);
  }

  run(envelopes: readonly Envelope[], known: KnownWatermarks): this {
    const groups = this.#open(envelopes);
    adoptInput(this.#draft, envelopes);
    const reduction = KeyReduction.decode(this.#spec, this.#state.reduction ?? undefined);
    reduction.advance(this.#context(), this);
    this.#applyPanes();
    // Ordinals come before the windows have spoken, and are left unused by what turns out to be late.
    const filed = groups.map((group) => this.#file(group));
    reduction.addBundle(this.#context(), groups, this);
    for (const [i, group] of groups.entries()) if (!this.#late.has(group)) filed[i]!();
    this.#applyPanes();
    adoptKnown(this.#draft, known);
    reduction.advance(this.#context(), this);
    this.#applyPanes();
    this.#state = withDueLoad(this.#node, this.#state, this.#draft.processingTime, this.#passed);
    this.#removePassed();
    this.deletes.push(...this.#bin.page(this.#draft.processingTime, this.#passed));
    // What has come and gone in one bundle is not written.
    const gone = new Set(this.deletes.map(({ collection, id }) => `${collection}/${id}`));
    this.sets = this.sets.filter(({ collection, id }) => !gone.has(`${collection}/${id}`));
    this.#finish(reduction);
    return this;
  }

  pane(pane: Pane<Span>): void {
    this.counts.panes[pane.pane.timing] += 1;
    this.#fired.push(pane);
  }

  late({ input, window, reason, watermark }: LateInput<Group>): void {
    this.#late.add(input);
    for (const { key, value, timestamp, id } of input.elements) {
      const record: LateRecord<unknown, unknown> = { key, value, count: 1, timestamp, window, watermark, reason };
      this.letters.push(lateDeadLetter(this.#nextPlace(), { record, id, received: undefined }));
    }
    this.counts.late += input.elements.length;
  }

  failed(): never {
    throw new Error('a span of ordinals cannot fail');
  }

  /** Takes numbers, and puts elements together by window. */
  #open(envelopes: readonly Envelope[]): Group[] {
    const groups = new Map<EpochMillis, Group>();
    for (const envelope of envelopes) {
      if (this.#draft.isTaken(envelope.sender, envelope.number)) continue;
      this.#draft.take(envelope.sender, envelope.number);
      this.counts.elements += envelope.count;
      if (this.#node.shape === 'signal') continue;
      for (const incoming of decodeBody(envelope.body)) {
        const line = lineOf(this.#node, incoming.keyText, incoming.value, incoming.pane);
        for (const window of incoming.windows) addTo(groups, window, incoming, line);
      }
    }
    return [...groups.values()];
  }

  /** Gives the elements their ordinals; what is returned puts them into the window. */
  #file(group: Group): () => void {
    const window = findWindow(this.#state, group.windows[0]!) ?? newViewWindow(group.windows[0]!);
    const { maxBytes } = this.#node;
    const { count, bytes } = group;
    if (window.full || window.bytes + bytes > maxBytes) {
      const ordinal = window.ordinal + 1;
      group.value = [ordinal, ordinal];
      return () => this.#keep(window, withElements(window, window.runs, ordinal, count, bytes, maxBytes));
    }
    const { runs, from, to, documents, last } = this.#runs.file(
      this.#draft.base.id,
      window,
      group.lines,
      this.#state.run,
    );
    group.value = [from, to];
    this.#state = { ...this.#state, run: last };
    return () => {
      this.sets.push(...documents);
      for (const { body } of documents) this.characters += (body as Lines).lines.length;
      this.#keep(window, withElements(window, runs, to, count, bytes, maxBytes));
    };
  }

  #applyPanes(): void {
    for (const { window: at, timestamp, pane, value } of this.#fired) {
      const window = findWindow(this.#state, at);
      if (window === undefined || value.length === 0) continue;
      const [from, to] = value;
      const fired = { index: pane.index, from, to, timestamp };
      const changed = withPane(this.#node, window, fired, this.#draft.processingTime, this.#bin);
      this.#keep(window, changed.window);
      if (changed.tooLarge === undefined) continue;
      const { count, bytes } = changed.tooLarge;
      const error = new ViewTooLargeError(this.#node, at, bytes, count);
      const failure = { window: at, pane, timestamp, error, state: { elements: count, bytes } };
      this.letters.push({ ...firingDeadLetter(this.#nextPlace(), null, failure), count });
      this.#fail(changed.window, error);
    }
    this.#fired = [];
  }

  /** A window does not change any more; readers who have seen nothing of it learn why. */
  #fail(window: ViewWindow, { code, message }: ViewTooLargeError): void {
    this.#keep(window, { ...window, problem: { code, message, since: this.#draft.processingTime } });
    if (window.shown !== null || window.pending !== null || window.problem !== null) return;
    this.sets.push(pointerDocument(this.#node.name, window, { problem: { code, message } }));
    this.#state = revised(this.#state, this.#draft.processingTime);
  }

  #removePassed(): void {
    const now = this.#draft.processingTime;
    const { claim } = this.#state;
    const writing = claim !== null && claim.lease > now ? claim.start : undefined;
    const gone = this.#state.windows.filter(
      (window) => maxTimestamp(window) < this.#passed && window.start !== writing,
    );
    const isOver = this.#passed >= MAX_TIMESTAMP;
    if (gone.length === 0 && !(isOver && hasHead(this.#state.removed))) return;
    for (const window of gone) {
      this.#runs.forget(window);
      this.#bin.runs(window, () => true, now);
      if (window.shown !== null) this.#bin.chunks(window, window.shown.version, window.shown.chunks, now);
      if (claim?.start === window.start) {
        this.#bin.chunks(window, claim.version, claim.chunks, now);
        this.#state = { ...this.#state, claim: null };
      }
      this.deletes.push({ collection: 'views', id: pointerId(this.#node.name, window) });
      this.#state = withWindow(this.#state, window, undefined);
    }
    // Once everybody is past all windows nobody asks any more.
    if (isOver) this.deletes.push({ collection: 'views', id: headId(this.#node.name) });
    else this.sets.push(headDocument(this.#node.name, { removed: this.#passed }));
    this.#state = { ...this.#state, removed: later(this.#state.removed, this.#passed) };
  }

  #finish(reduction: KeyReduction<never, Span, Span>): void {
    const { hold, due } = { hold: reduction.hold(), due: reduction.due() };
    const triggers = { hold: hold ?? null, due: due.processing };
    const garbage = this.#bin.items;
    keepState(this.#draft, this.#node, { ...this.#state, reduction: reduction.encode() ?? null, triggers, garbage });
    this.#draft.eventDue = due.event;
    this.more = hasDueGarbage(garbage, this.#draft.processingTime, this.#passed);
    for (const { kind, count } of this.letters) if (kind !== 'late') this.counts.deadLetters += count;
  }

  #keep(before: Window, after: ViewWindow): void {
    this.#state = withWindow(this.#state, before, after);
  }

  #context(): ReduceContext {
    const { inputWatermark, outputWatermark, processingTime } = this.#draft;
    return { inputWatermark, outputWatermark, processingTime };
  }

  #nextPlace(): DeadLetterPlace {
    return this.#place(this.letters.length);
  }
}

function addTo(groups: Map<EpochMillis, Group>, window: Window, incoming: Incoming, line: string): void {
  const { timestamp } = incoming;
  const group = groups.get(window.start);
  if (group === undefined) {
    const first = { elements: [incoming], lines: [line], bytes: lineBytes(line), count: 1 };
    groups.set(window.start, { ...first, value: [], lifted: true, timestamp, latest: timestamp, windows: [window] });
    return;
  }
  group.elements.push(incoming);
  group.lines.push(line);
  group.bytes += lineBytes(line);
  group.count += 1;
  group.timestamp = earlier(group.timestamp, timestamp);
  group.latest = later(group.latest, timestamp);
}
