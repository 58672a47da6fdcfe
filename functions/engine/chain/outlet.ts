/** The end of a chain of fused steps that leads to another stage: chooses the shard and encodes. */
import { hash } from 'node:crypto';
import { type KV, keyText } from '../../model/key.ts';
import type { Element } from '../element.ts';
import { encodeElement } from '../element-codec.ts';
import { type ShardId, shardId } from '../protocol/names.ts';
import { checkElementSize } from '../protocol/outbox.ts';
import type { BundleOutput } from './bundle-output.ts';

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
