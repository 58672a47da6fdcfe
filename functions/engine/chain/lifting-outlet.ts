/**
 * An outlet that combines parts of a bundle by key and window before they are sent, where that is legal (combiner lifting,
 * catalogue C07).
 *
 * Invariants: a part holds elements of one bundle only, so one that is run again begins anew; an element whose combine
 * throws is in no part, whatever the author's code had changed by then.
 */
import type { CombineFn } from '../../model/combine.ts';
import { type KV, keyText } from '../../model/key.ts';
import { earlier, type EpochMillis, later, MIN_TIMESTAMP, plus } from '../../model/time.ts';
import { sameWindow, type Window } from '../../model/windows.ts';
import { type Element, UNGROUPED } from '../element.ts';
import { encodeLifted, type Lifted } from '../element-codec.ts';
import { parseShardId } from '../protocol/names.ts';
import { checkElementSize } from '../protocol/outbox.ts';
import type { BundleOutput } from './bundle-output.ts';
import { roughSize } from './rough-size.ts';
import { type Outlet, PlainOutlet, type ShardChooser } from './outlet.ts';

/** How an outlet combines at the sender. */
export interface Lifting {
  readonly combine: CombineFn<unknown, unknown, unknown>;
  readonly allowedLateness: number;
  /** The target's input watermark as known here: what is expired by it travels alone, so that it is recorded alone. */
  inputWatermark(): EpochMillis;
}

/** Of so many elements that are held, one is weighed. */
const SAMPLED = 16;

export class LiftingOutlet implements Outlet {
  readonly #inlet: number;
  readonly #shards: ShardChooser;
  readonly #lifting: Lifting;
  readonly #plain: PlainOutlet;
  readonly #output: () => BundleOutput;
  /**
   * Made anew for each bundle, never cleared: V8 links the table of a cleared map to the next one, so that once a table is
   * in the old generation all later ones, and what they held, survive every scavenge.
   */
  #parts = new Map<string, Parts>();
  /** The bundle that the parts belong to. */
  #bundle: BundleOutput | undefined;
  /** Elements that the parts hold. */
  #held = 0;

  constructor(inlet: number, shards: ShardChooser, lifting: Lifting, output: () => BundleOutput) {
    this.#inlet = inlet;
    this.#shards = shards;
    this.#lifting = lifting;
    this.#output = output;
    this.#plain = new PlainOutlet(inlet, shards, output);
  }

  receive(element: Element): void {
    this.#startOverFor(this.#output());
    const watermark = this.#lifting.inputWatermark();
    const { windows } = element;
    for (const window of windows)
      if (plus(window.end, this.#lifting.allowedLateness - 1) < watermark) {
        this.#plain.receive(element);
        return;
      }
    const parts = this.#partsOf((element.value as KV<unknown, unknown>).key);
    try {
      for (const window of windows) parts.of(window).add(element);
    } catch (error) {
      for (const part of parts.list) part.remove(element);
      throw error;
    }
    // One in so many stands for the others: what they weigh decides when enough is held, not what is right.
    if (this.#held++ % SAMPLED === 0) this.#output().weight.hold(SAMPLED * roughSize(element.value));
  }

  flush(output: BundleOutput): void {
    this.#startOverFor(output);
    for (const parts of this.#parts.values()) {
      const { text, list } = parts;
      const target = this.#shards.of(text);
      for (const part of list) {
        if (part.count === 0) continue;
        try {
          const encoded = encodeLifted(this.#inlet, text, part);
          checkElementSize(encoded, `a combined value for '${target}'`);
          output.outgoing.push({ target, text: encoded, earliest: part.timestamp, count: part.count });
        } catch (error) {
          output.failures.push({ step: parseShardId(target).stage, element: partAsElement(parts.key, part), error });
        }
      }
    }
    this.#parts = new Map();
  }

  /** What was combined for a bundle that was not finished is nobody's any more. */
  #startOverFor(bundle: BundleOutput): void {
    if (this.#bundle === bundle) return;
    this.#bundle = bundle;
    this.#parts = new Map();
    this.#held = 0;
  }

  #partsOf(key: unknown): Parts {
    const text = keyText(key);
    let parts = this.#parts.get(text);
    if (parts === undefined) {
      parts = new Parts(key, text, this.#lifting.combine);
      this.#parts.set(text, parts);
    }
    return parts;
  }
}

/** The parts of a key. Most have one window in a bundle, and need no map. */
class Parts {
  readonly key: unknown;
  /** The key's text. */
  readonly text: string;
  /** In the order in which their windows came. */
  readonly list: Part[] = [];
  readonly #combine: CombineFn<unknown, unknown, unknown>;
  /** All but the first. */
  #others: Map<EpochMillis | string, Part> | undefined;

  constructor(key: unknown, text: string, combine: CombineFn<unknown, unknown, unknown>) {
    this.key = key;
    this.text = text;
    this.#combine = combine;
  }

  /** The part of a window; a new one where there is none yet. */
  of(window: Window): Part {
    const [first] = this.list;
    if (first === undefined) return this.#added(window);
    if (first.window === window || sameWindow(first.window, window)) return first;
    this.#others ??= new Map();
    const name = nameOf(window);
    let part = this.#others.get(name);
    if (part === undefined) {
      part = this.#added(window);
      this.#others.set(name, part);
    }
    return part;
  }

  #added(window: Window): Part {
    const part = new Part(window, this.#combine);
    this.list.push(part);
    return part;
  }
}

/** Windows that do not merge are told apart by their start; those that begin with time itself, by their end. */
function nameOf({ start, end }: Window): EpochMillis | string {
  return start === MIN_TIMESTAMP ? `to ${end}` : start;
}

/** What elements of one key and window come to. */
class Part implements Lifted {
  readonly window: Window;
  accumulator: unknown;
  count = 0;
  timestamp: EpochMillis = MIN_TIMESTAMP;
  latest: EpochMillis = MIN_TIMESTAMP;
  readonly #combine: CombineFn<unknown, unknown, unknown>;
  #elements: Element[] | undefined;

  constructor(window: Window, combine: CombineFn<unknown, unknown, unknown>) {
    this.window = window;
    this.#combine = combine;
    this.accumulator = combine.create();
  }

  /** Throws what the author's combine throws; the element must be removed then. */
  add(element: Element): void {
    const { value, timestamp } = element;
    this.accumulator = this.#combine.add(this.accumulator, (value as KV<unknown, unknown>).value);
    this.timestamp = this.count === 0 ? timestamp : earlier(this.timestamp, timestamp);
    this.latest = later(this.latest, timestamp);
    this.count += 1;
    if (this.#elements === undefined) this.#elements = [element];
    else this.#elements.push(element);
  }

  /** Makes the part anew without an element, since its combine may have changed the accumulator in part. */
  remove(element: Element): void {
    const others = this.#elements?.filter((other) => other !== element) ?? [];
    this.accumulator = this.#combine.create();
    this.count = 0;
    this.latest = MIN_TIMESTAMP;
    this.#elements = undefined;
    for (const other of others) this.add(other);
  }
}

function partAsElement(key: unknown, part: Lifted): Element {
  const { accumulator, timestamp, window } = part;
  return { value: { key, value: accumulator }, timestamp, windows: [window], pane: UNGROUPED, id: undefined };
}
