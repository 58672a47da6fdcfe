/**
 * The end of a chain of fused steps that leads to another stage: chooses the shard, encodes, and where it is legal
 * combines parts of a bundle already here (combiner lifting, catalogue C07).
 */
import { hash } from 'node:crypto';
import type { CombineFn } from '../../model/combine.ts';
import { type KV, keyText } from '../../model/key.ts';
import { earlier, type EpochMillis, later, plus } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import { type Element, UNGROUPED } from '../element.ts';
import { encodeElement, encodeLifted, type Lifted } from '../element-codec.ts';
import { parseShardId, type ShardId, shardId } from '../protocol/names.ts';
import { checkElementSize } from '../protocol/outbox.ts';
import type { BundleOutput } from './bundle-output.ts';

/** How an outlet combines at the sender. */
export interface Lifting {
  readonly combine: CombineFn<unknown, unknown, unknown>;
  readonly allowedLateness: number;
  /** The target's input watermark as known here: what is expired by it travels alone, so that it is recorded alone. */
  inputWatermark(): EpochMillis;
}

export interface Outlet {
  receive(element: Element): void;
  /** Writes what was combined; at the end of each bundle. */
  flush(output: BundleOutput): void;
}

/** The shard of a key. Bounded memory: the cache starts over when it is full. */
export class ShardChooser {
  readonly #stage: string;
  readonly #shards: number;
  readonly #known = new Map<string, ShardId>();

  constructor(stage: string, shards: number) {
    this.#stage = stage;
    this.#shards = shards;
  }

  of(text: string): ShardId {
    let target = this.#known.get(text);
    if (target === undefined) {
      if (this.#known.size >= 100_000) this.#known.clear();
      target = shardId(this.#stage, shardOf(keyHash(text), this.#shards));
      this.#known.set(text, target);
    }
    return target;
  }

  /** A shard by the hash of a text that will not come again, and so is not remembered. */
  spread(text: string): ShardId {
    return shardId(this.#stage, shardOf(keyHash(text), this.#shards));
  }
}

/** The 128-bit hash under which a key's documents are named: 32 hexadecimal digits. */
export function keyHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}

export function shardOf(keyHash: string, shards: number): number {
  return Number.parseInt(keyHash.slice(0, 8), 16) % shards;
}

/** Sends each element by itself. */
export class PlainOutlet implements Outlet {
  readonly #inlet: number;
  readonly #shards: ShardChooser;
  readonly #output: () => BundleOutput;

  constructor(inlet: number, shards: ShardChooser, output: () => BundleOutput) {
    this.#inlet = inlet;
    this.#shards = shards;
    this.#output = output;
  }

  receive(element: Element): void {
    const { key, value } = element.value as KV<unknown, unknown>;
    const keyAsText = keyText(key);
    const target = this.#shards.of(keyAsText);
    const text = encodeElement(this.#inlet, keyAsText, value, element);
    checkElementSize(text, `an element for '${target}'`);
    this.#output().outgoing.push({ target, text, earliest: element.timestamp, count: 1 });
  }

  flush(): void {}
}

/** Combines a bundle's elements by key and window before sending. */
export class LiftingOutlet implements Outlet {
  readonly #inlet: number;
  readonly #shards: ShardChooser;
  readonly #lifting: Lifting;
  readonly #plain: PlainOutlet;
  readonly #parts = new Map<string, { key: unknown; windows: Map<EpochMillis, Lifted> }>();

  constructor(inlet: number, shards: ShardChooser, lifting: Lifting, output: () => BundleOutput) {
    this.#inlet = inlet;
    this.#shards = shards;
    this.#lifting = lifting;
    this.#plain = new PlainOutlet(inlet, shards, output);
  }

  receive(element: Element): void {
    const { key, value } = element.value as KV<unknown, unknown>;
    const watermark = this.#lifting.inputWatermark();
    const expired = (window: Window): boolean => plus(window.end, this.#lifting.allowedLateness - 1) < watermark;
    if (element.windows.some(expired)) {
      this.#plain.receive(element);
      return;
    }
    const text = keyText(key);
    let parts = this.#parts.get(text);
    if (parts === undefined) {
      parts = { key, windows: new Map() };
      this.#parts.set(text, parts);
    }
    for (const window of element.windows) this.#add(parts.windows, window, value, element.timestamp);
  }

  flush(output: BundleOutput): void {
    for (const [text, { key, windows }] of this.#parts) {
      const target = this.#shards.of(text);
      for (const part of windows.values()) {
        try {
          const encoded = encodeLifted(this.#inlet, text, part);
          checkElementSize(encoded, `a combined value for '${target}'`);
          output.outgoing.push({ target, text: encoded, earliest: part.timestamp, count: part.count });
        } catch (error) {
          output.failures.push({ step: parseShardId(target).stage, element: partAsElement(key, part), error });
        }
      }
    }
    this.#parts.clear();
  }

  /** Adds to the part of a window; windows that do not merge are told apart by their start. */
  #add(windows: Map<EpochMillis, Lifted>, window: Window, value: unknown, timestamp: EpochMillis): void {
    const { combine } = this.#lifting;
    const part = windows.get(window.start);
    if (part === undefined) {
      const accumulator = combine.add(combine.create(), value);
      windows.set(window.start, { accumulator, count: 1, timestamp, latest: timestamp, window });
      return;
    }
    part.accumulator = combine.add(part.accumulator, value);
    part.count += 1;
    part.timestamp = earlier(part.timestamp, timestamp);
    part.latest = later(part.latest, timestamp);
  }
}

function partAsElement(key: unknown, part: Lifted): Element {
  const { accumulator, timestamp, window } = part;
  return { value: { key, value: accumulator }, timestamp, windows: [window], pane: UNGROUPED, id: undefined };
}
