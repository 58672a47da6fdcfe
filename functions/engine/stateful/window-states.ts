/**
 * The windows of one key. Those that nobody needs now may lie in parts: then only their bounds, and when and where they
 * are due and hold, stay in the cell.
 */
import { type EpochMillis, earlier, MAX_TIMESTAMP } from '../../model/time.ts';
import { describeWindow, type Window } from '../../model/windows.ts';
import type { Holder } from '../shard/cell.ts';
import type { CellParts } from '../shard/cell-parts.ts';
import { MinHeap } from './min-heap.ts';
import type { Moment } from './moment.ts';
import type { StatefulSpec } from './spec.ts';
import { WindowState } from './window-state.ts';

/** A window whose text lies in a part. */
interface Away {
  readonly window: Window;
  readonly eventDue: EpochMillis;
  readonly processingDue: EpochMillis;
  readonly hold: EpochMillis | undefined;
}

/** A line that stands for a window in a part. Other lines begin with a bracket. */
const AWAY = '~';

export class WindowStates {
  readonly #spec: StatefulSpec;
  readonly #moment: Moment;
  readonly #parts: CellParts;
  readonly #here = new Map<string, WindowState>();
  readonly #away = new Map<string, Away>();

  /** @param lines what `encode` gave */
  constructor(spec: StatefulSpec, moment: Moment, parts: CellParts, lines: readonly string[]) {
    this.#spec = spec;
    this.#moment = moment;
    this.#parts = parts;
    for (const line of lines) {
      if (line.startsWith(AWAY)) this.#remember(line);
      else {
        const window = WindowState.windowOf(line);
        this.#here.set(nameOf(window), new WindowState(spec, window, moment, parts, line));
      }
    }
  }

  encode(): string[] {
    const texts: string[] = [];
    for (const [name, state] of this.#here) {
      const text = state.encode();
      if (text === undefined) this.#here.delete(name);
      else texts.push(text);
    }
    for (const { window, eventDue, processingDue, hold } of this.#away.values())
      texts.push(AWAY + JSON.stringify([window.start, window.end, eventDue, processingDue, hold ?? null]));
    return texts;
  }

  /** The state of a window, if it has any. Reads at most one part. */
  find(window: Window): WindowState | undefined | Promise<WindowState> {
    const name = nameOf(window);
    const away = this.#away.get(name);
    return away === undefined ? this.#here.get(name) : this.#bringBack(name, away);
  }

  /** The state of a window, also of one that has had none. */
  get(window: Window): WindowState | Promise<WindowState> {
    const found = this.find(window);
    if (found !== undefined) return found;
    const name = nameOf(window);
    const state = new WindowState(this.#spec, window, this.#moment, this.#parts);
    this.#here.set(name, state);
    return state;
  }

  /** All of them, brought back from where they are. */
  async all(): Promise<readonly WindowState[]> {
    for (const { window } of [...this.#away.values()]) await this.find(window);
    return [...this.#here.values()];
  }

  /** It has expired: removes it with all its parts. */
  remove(state: WindowState): void {
    state.drop();
    this.#here.delete(nameOf(state));
  }

  hold(): EpochMillis | undefined {
    let hold: EpochMillis = MAX_TIMESTAMP;
    for (const state of this.#here.values()) hold = earlier(hold, state.hold() ?? MAX_TIMESTAMP);
    for (const away of this.#away.values()) hold = earlier(hold, away.hold ?? MAX_TIMESTAMP);
    return hold < MAX_TIMESTAMP ? hold : undefined;
  }

  holders(): Holder[] {
    const holders: Holder[] = [];
    for (const each of this.#all()) {
      const at = each instanceof WindowState ? each.hold() : each.hold;
      const window = each instanceof WindowState ? each : each.window;
      if (at !== undefined) holders.push({ kind: 'timer', at, what: describeWindow(window) });
    }
    return holders;
  }

  due(clock: 'event' | 'processing'): EpochMillis {
    let due: EpochMillis = MAX_TIMESTAMP;
    for (const state of this.#here.values()) due = earlier(due, dueOf(state, clock));
    for (const away of this.#away.values()) due = earlier(due, dueOf(away, clock));
    return due;
  }

  /** The windows that are due, those first that are due first; asks anew as they change. */
  dueQueue(clock: 'event' | 'processing', until: EpochMillis): DueWindows {
    const queue = new DueWindows(clock, until, (window) => this.#dueOf(window, clock));
    for (const state of this.#here.values()) queue.offer(state);
    for (const away of this.#away.values()) queue.offer(away.window, dueOf(away, clock));
    return queue;
  }

  /** Moves into parts until about so many characters are left here. */
  async shrinkTo(wanted: number): Promise<void> {
    let characters = 0;
    for (const state of this.#here.values()) characters += state.encode()?.length ?? 0;
    if (characters <= wanted) return;
    const heaviest = [...this.#here].sort(([, a], [, b]) => b.movable() - a.movable());
    for (const [, state] of heaviest) {
      if (characters <= wanted || state.movable() === 0) break;
      const before = state.encode()?.length ?? 0;
      await state.spill(characters - wanted);
      characters += (state.encode()?.length ?? 0) - before;
    }
    if (this.#here.size < 2) return;
    for (const [name, state] of [...this.#here].sort(([, a], [, b]) => length(b) - length(a))) {
      if (characters <= wanted) break;
      characters -= length(state);
      this.#sendAway(name, state);
    }
  }

  /** When a window is due as it stands; `MAX_TIMESTAMP` for one that is gone. */
  #dueOf(window: Window, clock: 'event' | 'processing'): EpochMillis {
    const name = nameOf(window);
    const each = this.#away.get(name) ?? this.#here.get(name);
    return each === undefined ? MAX_TIMESTAMP : dueOf(each, clock);
  }

  *#all(): Generator<WindowState | Away> {
    yield* this.#here.values();
    yield* this.#away.values();
  }

  #sendAway(name: string, state: WindowState): void {
    const text = state.encode();
    if (text === undefined) return;
    this.#parts.write(partOf(name), text);
    const { start, end } = state;
    const due = { eventDue: state.eventDue(), processingDue: state.processingDue() };
    this.#away.set(name, { window: { start, end }, ...due, hold: state.hold() });
    this.#here.delete(name);
  }

  #bringBack(name: string, { window }: Away): WindowState | Promise<WindowState> {
    const open = (text: string): WindowState => {
      const known = this.#here.get(name);
      if (known !== undefined) return known;
      const state = new WindowState(this.#spec, window, this.#moment, this.#parts, text);
      this.#here.set(name, state);
      this.#away.delete(name);
      this.#parts.delete(partOf(name));
      return state;
    };
    const body = this.#parts.read(partOf(name));
    return typeof body === 'string' ? open(body) : body.then(open);
  }

  #remember(line: string): void {
    const [start, end, eventDue, processingDue, hold] = JSON.parse(line.slice(AWAY.length)) as EpochMillis[];
    const window = { start: start!, end: end! };
    const due = { eventDue: eventDue!, processingDue: processingDue! };
    this.#away.set(nameOf(window), { window, ...due, hold: (hold as EpochMillis | null) ?? undefined });
  }
}

/** Windows in the order in which they are due. Invariant: what is at its head is due then as it stands, whatever changed. */
export class DueWindows {
  readonly #clock: 'event' | 'processing';
  readonly #until: EpochMillis;
  readonly #dueNow: (window: Window) => EpochMillis;
  readonly #heap = new MinHeap<{ readonly window: Window; readonly due: EpochMillis }>((a, b) => a.due < b.due);

  /** @param dueNow when a window is due as it stands */
  constructor(clock: 'event' | 'processing', until: EpochMillis, dueNow: (window: Window) => EpochMillis) {
    this.#clock = clock;
    this.#until = until;
    this.#dueNow = dueNow;
  }

  /** Queues a window if it is due; one that has changed is offered again. */
  offer(window: Window, due: EpochMillis = dueOf(window as WindowState, this.#clock)): void {
    if (due <= this.#until) this.#heap.push({ window, due });
  }

  /** When the first is due, or `MAX_TIMESTAMP`. */
  due(): EpochMillis {
    this.#correct();
    return this.#heap.peek()?.due ?? MAX_TIMESTAMP;
  }

  take(): Window | undefined {
    this.#correct();
    return this.#heap.pop()?.window;
  }

  /** A window that was to come first may be due later by now, or never. */
  #correct(): void {
    for (let first = this.#heap.peek(); first !== undefined; first = this.#heap.peek()) {
      const due = this.#dueNow(first.window);
      if (due === first.due) return;
      this.#heap.pop();
      if (due > first.due) this.offer(first.window, due);
    }
  }
}

function dueOf(each: WindowState | Away, clock: 'event' | 'processing'): EpochMillis {
  if (each instanceof WindowState) return clock === 'event' ? each.eventDue() : each.processingDue();
  return clock === 'event' ? each.eventDue : each.processingDue;
}

function length(state: WindowState): number {
  return state.encode()?.length ?? 0;
}

function nameOf({ start, end }: Window): string {
  return `${start}.${end}`;
}

function partOf(name: string): string {
  return `${name}.window`;
}
