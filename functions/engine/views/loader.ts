/** Reads the source of a view that refreshes, from its beginning to its end, through the steps between the two. */
import { MAIN_OUTPUT, type ViewNode } from '../../model/graph.ts';
import type { EpochMillis } from '../../model/time.ts';
import { GLOBAL_WINDOW } from '../../model/windows.ts';
import type { Plan, PlannedSource } from '../../plan/plan.ts';
import { Chain } from '../chain/chain.ts';
import type { Outlet } from '../chain/outlet.ts';
import { type DeadLetter, type DeadLetterPlace, elementDeadLetter, sourceDeadLetter } from '../dead-letter.ts';
import type { Element } from '../element.ts';
import { type RawRecord, SourceDecoder } from '../ingest/source-decoder.ts';
import { shardId } from '../protocol/names.ts';
import { type ShardSetting, versionOf } from '../shard/shard.ts';
import { lineBytes } from './entries.ts';
import { isKeyed } from './content.ts';
import { keyAndValue, lineOf } from './outlets.ts';
import { ViewTooLargeError } from './problems.ts';

/** A source's records, in batches; anew with each call. */
export type OpenSource = (source: PlannedSource) => AsyncIterable<readonly RawRecord[]>;

/** All elements of a view's pane. */
export interface LoadedElements {
  readonly lines: readonly string[];
  readonly count: number;
  /** What could not be read. */
  readonly letters: readonly DeadLetter[];
  /** Set when they are above the view's budget; `lines` holds only some of them then. */
  readonly tooLarge?: ViewTooLargeError;
}

export class ViewLoader {
  /** The steps between source and view; whoever owns the shard sets them up and tears them down. */
  readonly chain: Chain;
  readonly #node: ViewNode;
  readonly #source: PlannedSource;
  readonly #open: OpenSource;
  readonly #setting: ShardSetting;
  readonly #collector: Collector;

  constructor(plan: Plan, node: ViewNode, source: PlannedSource, open: OpenSource, setting: ShardSetting) {
    this.#node = node;
    this.#source = source;
    this.#open = open;
    this.#setting = setting;
    this.#collector = new Collector(node);
    this.chain = new Chain(plan, [{ node: source.node, output: MAIN_OUTPUT }], () => this.#collector);
  }

  /** @param number how often it was read, this time included; names the dead letters */
  async load(number: number): Promise<LoadedElements> {
    const decoder = new SourceDecoder(this.#source.id, this.#source.node.source);
    const letters: DeadLetter[] = [];
    const now = this.#setting.clock.now();
    const place = (): DeadLetterPlace => this.#place(`load-${number}-${letters.length}`, now);
    this.#collector.begin();
    for await (const records of this.#open(this.#source)) {
      await this.chain.begin(now);
      for (const raw of records) {
        let element: Element;
        try {
          element = decoder.decode(raw).element;
        } catch (error) {
          letters.push(sourceDeadLetter(place(), raw, error));
          continue;
        }
        await this.chain.entry(MAIN_OUTPUT)(element);
      }
      const { failures } = await this.chain.finish();
      for (const failure of failures) letters.push(elementDeadLetter(place(), failure));
    }
    const { lines, count, bytes } = this.#collector;
    if (bytes <= this.#node.maxBytes) return { lines, count, letters };
    return { lines, count, letters, tooLarge: new ViewTooLargeError(this.#node, GLOBAL_WINDOW, bytes, count) };
  }

  #place(name: string, failedAt: EpochMillis): DeadLetterPlace {
    const id = `${shardId(this.#node.name, 0)}~${name}`;
    return { id, stage: this.#node.name, failedAt, version: versionOf(this.#setting) };
  }
}

/** Keeps lines instead of sending elements, as long as they fit the view. */
class Collector implements Outlet {
  lines: string[] = [];
  count = 0;
  bytes = 0;
  readonly #node: ViewNode;

  constructor(node: ViewNode) {
    this.#node = node;
  }

  begin(): void {
    this.lines = [];
    this.count = 0;
    this.bytes = 0;
  }

  receive(element: Element): void {
    const [key, value] = keyAndValue(element, isKeyed(this.#node));
    const line = lineOf(this.#node, key, value, element.pane);
    this.count += 1;
    this.bytes += lineBytes(line);
    if (this.bytes <= this.#node.maxBytes) this.lines.push(line);
  }

  flush(): void {}
}
