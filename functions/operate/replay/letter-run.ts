/**
 * Runs a dead letter from the step that failed. Pure but for user code: what comes of it is handed out, and nothing is
 * committed or published here, so that a dry run is the same run.
 */
import { BundleOutput, type Outgoing } from '../../engine/chain/bundle-output.ts';
import { Chain } from '../../engine/chain/chain.ts';
import { ShardChooser } from '../../engine/chain/outlet.ts';
import { outletsOf } from '../../engine/chain/stage-chain.ts';
import {
  type DeadLetter,
  type DeadLetterPlace,
  elementDeadLetter,
  firingDeadLetter,
  sourceDeadLetter,
} from '../../engine/dead-letter.ts';
import { type Element, UNGROUPED } from '../../engine/element.ts';
import { encodeElement, encodeLifted } from '../../engine/element-codec.ts';
import { elementId, withoutReplay } from '../../engine/ids/element-id.ts';
import { SourceDecoder } from '../../engine/ingest/source-decoder.ts';
import { checkElementSize } from '../../engine/protocol/outbox.ts';
import { replayIdText } from '../../engine/replay-id.ts';
import { type FailedTimer, TIMER_INLET } from '../../engine/stateful/replayed-timer.ts';
import { isKeyed } from '../../engine/views/content.ts';
import { MAIN_OUTPUT, type Node } from '../../model/graph.ts';
import { type KV, keyText } from '../../model/key.ts';
import { type EpochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../model/time.ts';
import { GLOBAL_WINDOW } from '../../model/windows.ts';
import type { Consumer, Plan, PlannedSource, Stage } from '../../plan/plan.ts';
import { CannotReplay } from './cannot-replay.ts';
import { type Patch, payloadOf } from './patch.ts';
import { reentryOf } from './reentry.ts';
import { rowText } from './row-text.ts';

/** What came of a letter. */
export interface LetterResult {
  /** What it sends. */
  readonly output: BundleOutput;
  /** What failed again: the next generation. */
  readonly failures: readonly ((place: DeadLetterPlace) => DeadLetter)[];
}

export class LetterRun {
  readonly #plan: Plan;
  readonly #patch: Patch | undefined;
  readonly #chains = new Map<string, Chain>();

  constructor(plan: Plan, patch: Patch | undefined) {
    this.#plan = plan;
    this.#patch = patch;
  }

  /** @throws {CannotReplay} when the letter cannot be brought back; it says why */
  async run(letter: DeadLetter): Promise<LetterResult> {
    const reentry = reentryOf(letter, this.#plan);
    if (reentry.way === 'none') throw new CannotReplay(reentry.reason);
    const value = await payloadOf(letter, this.#patch);
    switch (reentry.way) {
      case 'source':
        return this.#fromSource(letter, value, reentry.source);
      case 'step':
        return this.#intoStep(letter, value, reentry.consumer);
      case 'pane':
        return this.#pane(letter, value, reentry.stage);
      case 'lifted':
        return sent(reentry.stage, this.#lifted(letter, value, reentry.stage));
      case 'timer':
        return sent(reentry.stage, this.#timer(letter, reentry.stage));
      case 'row':
        return sent(reentry.stage, rowText(letter, value, reentry.stage));
    }
  }

  /** Tears down the steps that were set up. */
  async close(): Promise<void> {
    for (const chain of this.#chains.values()) await chain.teardown();
    this.#chains.clear();
  }

  async #fromSource(letter: DeadLetter, value: unknown, source: PlannedSource): Promise<LetterResult> {
    const { arrival = letter.failedAt, attributes = {}, messageId = idOf(letter), unparsed } = letter;
    const mended = this.#patch !== undefined;
    const message = {
      id: messageId,
      value,
      arrival,
      attributes,
      ...(unparsed && !mended ? { problem: letter.message } : {}),
    };
    let element: Element;
    try {
      element = new SourceDecoder(source.id, source.node.source).decode(message).element;
    } catch (error) {
      const again = { ...message, id: idOf(letter) };
      const failed = (place: DeadLetterPlace): DeadLetter => ({
        ...namesIn(letter),
        ...sourceDeadLetter(place, again, error),
      });
      return { output: new BundleOutput(), failures: [failed] };
    }
    const chain = await this.#chain(`source ${source.id}`, () => this.#behind(source.node));
    return this.#through(chain, MAIN_OUTPUT, { ...element, id: idOf(letter, idNamed(element, source)) });
  }

  async #intoStep(letter: DeadLetter, payload: unknown, consumer: Consumer): Promise<LetterResult> {
    const isPair = letter.kind === 'late' && takesPairs(consumer.node);
    const value = isPair ? { key: letter.key, value: payload } : payload;
    const { timestamp = MIN_TIMESTAMP, windows = [GLOBAL_WINDOW], pane = UNGROUPED } = letter;
    const element: Element = { value, timestamp, windows, pane, id: idOf(letter) };
    const { name } = consumer.node;
    const make = (): Chain => new Chain(this.#plan, [], this.#outlets(), consumer);
    return this.#through(await this.#chain(`step ${name} ${consumer.input}`, make), name, element);
  }

  async #pane(letter: DeadLetter, accumulator: unknown, stage: Stage): Promise<LetterResult> {
    const { head } = stage;
    if (head.kind !== 'reduce') throw new CannotReplay(`stage '${stage.id}' makes no panes any more`);
    const { key, timestamp = MIN_TIMESTAMP, windows = [GLOBAL_WINDOW], pane = UNGROUPED } = letter;
    let value: unknown;
    try {
      value = head.combine.extract(accumulator);
    } catch (error) {
      const failure = { window: windows[0]!, pane, timestamp, error, state: accumulator };
      const again = (place: DeadLetterPlace): DeadLetter => firingDeadLetter(place, key, failure, idOf(letter));
      return { output: new BundleOutput(), failures: [again] };
    }
    const element: Element = { value: { key, value }, timestamp, windows, pane, id: idOf(letter) };
    return this.#through(await this.#chain(`stage ${stage.id}`, () => this.#behind(head)), MAIN_OUTPUT, element);
  }

  #lifted(letter: DeadLetter, payload: unknown, stage: Stage): Outgoing[] {
    const { key, value } =
      letter.kind === 'late' ? { key: letter.key, value: payload } : (payload as KV<unknown, unknown>);
    const { timestamp = MIN_TIMESTAMP, windows = [GLOBAL_WINDOW], received } = letter;
    const { inlet, count, latest } = received!;
    const text = keyText(key);
    const target = new ShardChooser(stage.id, stage.shards).of(text);
    return windows.map((window) => {
      const part = { accumulator: value, count, timestamp, latest, window };
      return { target, text: encodeLifted(inlet, text, part, idOf(letter)), earliest: timestamp, count };
    });
  }

  #timer(letter: DeadLetter, stage: Stage): Outgoing[] {
    const { key, timer, timestamp, windows = [GLOBAL_WINDOW] } = letter;
    const failed = { ...(timer as object), ...(timestamp === undefined ? {} : { output: timestamp }) } as FailedTimer;
    const earliest = timestamp ?? MAX_TIMESTAMP;
    const element: Element = {
      value: failed,
      timestamp: timestamp ?? failed.at,
      windows,
      pane: UNGROUPED,
      id: idOf(letter),
    };
    const text = keyText(key);
    const target = new ShardChooser(stage.id, stage.shards).of(text);
    return [{ target, text: encodeElement(TIMER_INLET, text, failed, element), earliest, count: 1 }];
  }

  #behind(node: Stage['head'] | PlannedSource['node']): Chain {
    return new Chain(this.#plan, [{ node, output: MAIN_OUTPUT }], this.#outlets());
  }

  /** Nothing is combined on the way, so no watermark is asked for. */
  #outlets(): ReturnType<typeof outletsOf> {
    return outletsOf(this.#plan, undefined, (): EpochMillis => MIN_TIMESTAMP);
  }

  async #chain(name: string, make: () => Chain): Promise<Chain> {
    let chain = this.#chains.get(name);
    if (chain === undefined) {
      chain = make();
      await chain.setup();
      this.#chains.set(name, chain);
    }
    return chain;
  }

  async #through(chain: Chain, entry: string, element: Element): Promise<LetterResult> {
    await chain.begin();
    await chain.entry(entry)(element);
    const output = await chain.finish();
    const failures = output.failures.map((failure) => (place: DeadLetterPlace): DeadLetter => {
      const letter = elementDeadLetter(place, failure);
      const { id } = failure.element;
      return id?.startsWith('@') ? { ...letter, elementId: withoutReplay(id) } : letter;
    });
    return { output, failures };
  }
}

/** Whether the elements of a head have keys. */
function takesPairs(node: Node): boolean {
  if (node.kind === 'sideParDo') return node.keyed;
  return node.kind !== 'view' || isKeyed(node);
}

function sent(stage: Stage, sendings: readonly Outgoing[]): LetterResult {
  const output = new BundleOutput();
  for (const sending of sendings) {
    checkElementSize(sending.text, `what the letter brings to '${stage.id}'`);
    output.outgoing.push(sending);
  }
  return { output, failures: [] };
}

/**
 * The identity of what a letter brings: the letter's first failure, and how often it has failed; and of what failed at ingest
 * the id that its message's element has.
 */
function idOf({ origin, generation, firstFailedAt, ...letter }: DeadLetter, element = letter.elementId): string {
  return replayIdText({ origin, generation, firstFailedAt }, element);
}

/** What a message is called, which stays as often as it fails. */
function namesIn({ messageId, elementId }: DeadLetter): Partial<DeadLetter> {
  return { ...(messageId === undefined ? {} : { messageId }), ...(elementId === undefined ? {} : { elementId }) };
}

/** The id that the source's author names for an element; undefined where they name none. */
function idNamed({ id, timestamp }: Element, { reader, node }: PlannedSource): string | undefined {
  if (id === undefined || node.source.id === undefined || reader !== 'messages') return undefined;
  return elementId(id, timestamp);
}
