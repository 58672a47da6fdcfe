/**
 * A seeded world in which the engine's own roots, shards, ingest roots and sweeps run against each other: several targets
 * a bundle, outbox documents that targets share, instances of one shard with stale caches, sweeps that are delayed and
 * overlap, ingest roots that are retired while their instance is frozen, instances that die in the middle of a commit or
 * wake up after it, and a bus that loses, repeats, and brings old envelopes back.
 *
 * After each step it looks for an element that the published watermark of the last stage has passed; at the end, for
 * elements that were taken twice or never, and for anything that is left behind.
 */
import { BundleOutput } from '../../../../functions/engine/chain/bundle-output.ts';
import { InstanceRoot } from '../../../../functions/engine/ingest/instance-root.ts';
import type { MessageBundle } from '../../../../functions/engine/ingest/message-bundle.ts';
import { isFoldedRoot } from '../../../../functions/engine/ingest/message-state.ts';
import { PIPELINE_DOCUMENT } from '../../../../functions/engine/pipeline-document.ts';
import { isShardRoot, parseShardId, shardId, sourceOf } from '../../../../functions/engine/protocol/names.ts';
import type { OutboxBody } from '../../../../functions/engine/protocol/outbox.ts';
import type { Root } from '../../../../functions/engine/protocol/root.ts';
import { Shard, type ShardSetting } from '../../../../functions/engine/shard/shard.ts';
import { Sweeper } from '../../../../functions/engine/sweep/sweeper.ts';
import { MemoryStore } from '../../../../functions/local/memory-store.ts';
import { SeededIds, VirtualClock } from '../../../../functions/local/virtual-clock.ts';
import { count } from '../../../../functions/model/combine.ts';
import { RetryableError } from '../../../../functions/model/errors.ts';
import { pipeline } from '../../../../functions/model/pipeline.ts';
import { boundedOutOfOrderness } from '../../../../functions/model/source.ts';
import { type EpochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP, type Millis, plus } from '../../../../functions/model/time.ts';
import { fixedWindows } from '../../../../functions/model/windows.ts';
import { plan } from '../../../../functions/plan/plan.ts';
import type { BacklogSample } from '../../../../functions/ports/backlog.ts';
import type { Batch } from '../../../../functions/ports/store.ts';
import { seeded } from '../../../model/seeded.ts';
import { goneTooEarly, LossyBus, settledTooEarly } from './lossy-bus.ts';
import { type Owner, SteppedStore } from './stepped-store.ts';
import { keepingWork, sent, type ToyElement, writingWork } from './toy-stages.ts';

/** What a wrong engine, or a wrong store, would do; the world must notice. */
export type Mistake =
  /** Roots are read before the samples, as they were some time ago. */
  | 'staleSnapshot'
  /** Preconditions are not looked at. */
  | 'noFence'
  /** Shards are told that a living sender is gone. */
  | 'goneTooEarly'
  /** Senders are told that what is under way was taken. */
  | 'settledTooEarly'
  /** Outbox documents are deleted while something names them. */
  | 'outboxEarly';

interface Published extends ToyElement {
  readonly publishTime: EpochMillis;
  /** `waiting` for an instance, `offered` to one, `acknowledged`. */
  state: 'waiting' | 'offered' | 'acknowledged';
}

interface Instance {
  readonly owner: Owner;
  readonly root: InstanceRoot;
  busy: boolean;
}

interface ShardInstance {
  readonly owner: Owner;
  readonly shard: Shard;
}

export interface WorldOutcome {
  /** What went wrong, if anything. */
  readonly wrong: string | undefined;
  /** How often each kind of trouble happened. */
  readonly happened: Readonly<Record<string, number>>;
}

const STAGES = ['one', 'two'] as const;
const SHARDS = 2;
const ELEMENTS = 40;
const STORMY_STEPS = 1_400;
const CALM_STEPS = 2_500;
const START = 1_000_000_000 as EpochMillis;
/** Events are at most this old when they are published. */
const OLDEST = 40_000;
/** Only its shape counts: the toy stages stand in for what its stages do. */
const TWO_STAGES = pipeline('toy', (p) => {
  p.readPubSub('events', { schema: { parse: (x) => x }, watermark: boundedOutOfOrderness(OLDEST) })
    .keyBy('by-nothing', () => null)
    .window('minutely', fixedWindows('1m'))
    .combinePerKey('one', count())
    .combinePerKey('two', count());
});
const TIMING = { slice: 4_000 as Millis, idleAfter: 20_000 as Millis };

export async function runProtocolWorld(seed: number, mistake?: Mistake): Promise<WorldOutcome> {
  const world = new ProtocolWorld(seed, mistake);
  return world.run();
}

class ProtocolWorld {
  readonly #random: () => number;
  readonly #mistake: Mistake | undefined;
  readonly #clock = new VirtualClock(START);
  readonly #ids: SeededIds;
  readonly #inner = new MemoryStore({ strict: true });
  readonly #store: SteppedStore;
  readonly #plan = plan(TWO_STAGES, { shards: SHARDS });
  readonly #elements: Published[] = [];
  readonly #bus: LossyBus;
  readonly #ingest: Instance[] = [];
  readonly #shards: ShardInstance[] = [];
  readonly #sweepers: { readonly owner: Owner; readonly sweeper: Sweeper }[] = [];
  readonly #happened: Record<string, number> = {};
  /**
   * How many commits of ingest roots hold an element. Mostly one; two where an instance was frozen between its commit and the
   * answer until its root was retired: it cannot know, and commits again. Ids, which this world does without, tell the two
   * apart; the protocol brings each commit's to its end once.
   */
  readonly #committed = new Map<number, number>();
  /** What each ingest instance was offered last. */
  readonly #offered = new Map<Owner, readonly Published[]>();
  #watermark: number = MIN_TIMESTAMP;
  #wrong: string | undefined;
  #stormy = true;

  constructor(seed: number, mistake: Mistake | undefined) {
    this.#random = seeded(seed);
    this.#ids = new SeededIds(seed);
    this.#mistake = mistake;
    const lies = { goneTooEarly, settledTooEarly };
    const lie = mistake === 'goneTooEarly' || mistake === 'settledTooEarly' ? lies[mistake] : undefined;
    this.#bus = new LossyBus({
      random: this.#random,
      isStormy: () => this.#stormy,
      happened: (what) => this.#count(what),
      ...(lie === undefined ? {} : { lie: (tick) => lie(tick, this.#roots().find(({ id }) => id === tick.target)!) }),
    });
    const wrongs = { staleSnapshot: mistake === 'staleSnapshot', noFence: mistake === 'noFence' };
    this.#store = new SteppedStore(this.#inner, (batch) => this.#noteCommitted(batch), wrongs);
    for (const stage of STAGES)
      for (let shard = 0; shard < SHARDS; shard++) for (let copy = 0; copy < 2; copy++) this.#startShard(stage, shard);
    for (let i = 0; i < 2; i++) this.#startIngest();
    for (let i = 0; i < 2; i++) this.#startSweeper();
  }

  async run(): Promise<WorldOutcome> {
    for (let step = 0; step < STORMY_STEPS && this.#wrong === undefined; step++) await this.#step();
    this.#stormy = false;
    for (const { owner } of [...this.#ingest, ...this.#shards, ...this.#sweepers]) owner.frozenUntil = 0;
    for (let step = 0; step < CALM_STEPS && this.#wrong === undefined && !this.#isDone(); step++) await this.#step();
    if (this.#wrong === undefined) this.#wrong = this.#leftOver();
    return { wrong: this.#wrong, happened: this.#happened };
  }

  async #step(): Promise<void> {
    this.#clock.advanceTo(plus(this.#clock.now(), this.#below(this.#stormy ? 600 : 3_000)));
    const luck = this.#random();
    if (luck < 0.05) this.#publish();
    else if (luck < 0.13) this.#takeIn();
    else if (luck < 0.36) this.#deliver();
    else if (luck < 0.39) this.#sweep();
    else if (luck < 0.41 && this.#stormy) await this.#trouble();
    else await this.#letThrough();
    // Everything that can go on without the store does.
    await new Promise(setImmediate);
    this.#checkWatermark();
  }

  #publish(): void {
    if (this.#elements.length >= ELEMENTS) return;
    const publishTime = this.#clock.now();
    const at = plus(publishTime, -this.#below(OLDEST));
    this.#elements.push({ id: this.#elements.length, at, publishTime, state: 'waiting' });
  }

  /** An instance takes up to three messages in. What dies with it comes again, unless it was committed. */
  #takeIn(): void {
    const instance = this.#ingest[this.#below(this.#ingest.length)]!;
    const waiting = this.#elements.filter(({ state }) => state === 'waiting').slice(0, 1 + this.#below(3));
    if (instance.busy || waiting.length === 0) return;
    const output = new BundleOutput();
    for (const element of waiting) {
      element.state = 'offered';
      output.outgoing.push(sent({ id: element.id, at: element.at }, 'one', this.#below(SHARDS)));
    }
    const publications = waiting.map(({ publishTime, at }) => ({ publishTime, advances: at }));
    const bundle: MessageBundle = { output, letters: [], publications, duplicates: 0 };
    instance.busy = true;
    const committed = instance.root.learn().then(() => instance.root.commit(bundle, MAX_TIMESTAMP));
    committed
      .then(
        () => this.#acknowledge(waiting),
        (error) => {
          this.#failed(error);
          this.#comeAgain(waiting);
        },
      )
      .finally(() => {
        instance.busy = false;
      });
    this.#offered.set(instance.owner, waiting);
  }

  /** What may be tried again is no wrong. */
  #failed(error: unknown): void {
    if (!(error instanceof RetryableError)) this.#wrong ??= String(error);
  }

  #acknowledge(elements: readonly Published[]): void {
    for (const element of elements) element.state = 'acknowledged';
  }

  /**
   * Repetitions of what was committed are the business of ids, which this world does without: so only what no commit has
   * comes again, and what one has is acknowledged.
   */
  #comeAgain(elements: readonly Published[]): void {
    for (const element of elements)
      if (element.state === 'offered') element.state = this.#committed.has(element.id) ? 'acknowledged' : 'waiting';
  }

  #deliver(): void {
    const message = this.#bus.next();
    if (message === undefined) return;
    const candidates = this.#shards.filter(({ shard }) => shard.id === message.target);
    const { shard } = candidates[this.#below(candidates.length)]!;
    shard.offer(message).then(
      () => {
        if (!this.#stormy || this.#random() < 0.9) this.#bus.remove(message);
      },
      (error) => this.#failed(error),
    );
  }

  #sweep(): void {
    const { sweeper } = this.#sweepers[this.#below(this.#sweepers.length)]!;
    sweeper.sweep().then(
      ({ retired, republished }) => {
        this.#count('root retired', retired.length);
        this.#count('envelope sent again', republished);
      },
      (error) => this.#failed(error),
    );
  }

  async #trouble(): Promise<void> {
    const owners = [...this.#ingest, ...this.#shards, ...this.#sweepers].map(({ owner }) => owner);
    const owner = owners[this.#below(owners.length)]!;
    if (this.#random() < 0.5) {
      this.#count('instance frozen');
      owner.frozenUntil = this.#clock.now() + this.#below(150_000);
      return;
    }
    this.#count('instance died');
    await this.#store.die(owner, () => this.#random() < 0.5);
    this.#replace(owner);
  }

  /** Another instance takes its place. */
  #replace(owner: Owner): void {
    const ingest = this.#ingest.findIndex((instance) => instance.owner === owner);
    const shard = this.#shards.findIndex((instance) => instance.owner === owner);
    const sweeper = this.#sweepers.findIndex((instance) => instance.owner === owner);
    if (ingest >= 0) {
      this.#ingest.splice(ingest, 1);
      this.#comeAgain(this.#offered.get(owner) ?? []);
      this.#startIngest();
    }
    if (shard >= 0) {
      const [{ shard: dead }] = this.#shards.splice(shard, 1) as [ShardInstance];
      const { stage, shard: number } = parseShardId(dead.id);
      this.#startShard(stage as 'one' | 'two', number);
    }
    if (sweeper >= 0) {
      this.#sweepers.splice(sweeper, 1);
      this.#startSweeper();
    }
  }

  #startIngest(): void {
    const owner = newOwner();
    this.#ingest.push({ owner, root: new InstanceRoot('events', this.#setting(owner), TIMING.slice), busy: false });
  }

  #startShard(stage: 'one' | 'two', number: number): void {
    const owner = newOwner();
    const work = stage === 'one' ? keepingWork(this.#random, SHARDS) : writingWork();
    this.#shards.push({ owner, shard: new Shard(shardId(stage, number), this.#setting(owner), work) });
  }

  #startSweeper(): void {
    const owner = newOwner();
    const { store, bus, clock } = this.#setting(owner);
    const backlog = { sample: async () => this.#sample() };
    const retireAfter = 60_000 as Millis;
    const sweeper = new Sweeper({ plan: this.#plan, store, bus, clock, backlog, timing: TIMING, retireAfter });
    this.#sweepers.push({ owner, sweeper });
  }

  #setting(owner: Owner): ShardSetting {
    return {
      pipeline: 'toy',
      store: this.#store.of(owner),
      bus: this.#bus,
      clock: this.#clock,
      ids: this.#ids,
      topology: 1,
      inputWatermarkOf: () => MIN_TIMESTAMP,
    };
  }

  #sample(): BacklogSample {
    const sampledAt = this.#clock.now();
    const unacked = this.#elements.filter(({ state }) => state !== 'acknowledged');
    const oldest = Math.min(sampledAt, ...unacked.map(({ publishTime }) => publishTime));
    return { sampledAt, oldestUnackedAge: (sampledAt - oldest) as Millis, undelivered: unacked.length };
  }

  async #letThrough(): Promise<void> {
    const now = this.#clock.now();
    const ready = this.#store.ready(now);
    if (ready === 0) return;
    if (this.#mistake === 'outboxEarly' && this.#random() < 0.02) await this.#deleteSomeOutbox();
    const luck = this.#stormy ? this.#random() : 1;
    const fate = luck < 0.04 ? 'answerLost' : luck < 0.07 ? 'refused' : 'answered';
    if (fate !== 'answered') this.#count(fate === 'answerLost' ? 'answer lost' : 'store down');
    await this.#store.step(this.#below(ready), now, fate);
  }

  async #deleteSomeOutbox(): Promise<void> {
    const documents = this.#inner.all('outbox');
    const { id } = documents[this.#below(documents.length)] ?? {};
    if (id !== undefined)
      await this.#inner.commit({ preconditions: [], sets: [], deletes: [{ collection: 'outbox', id }] });
  }

  #noteCommitted({ sets }: Batch): void {
    for (const { collection, body } of sets) {
      if (collection !== 'outbox') continue;
      for (const { sender, body: text } of (body as OutboxBody).envelopes)
        if (sourceOf(sender) !== undefined)
          for (const { id } of JSON.parse(text) as ToyElement[])
            this.#committed.set(id, (this.#committed.get(id) ?? 0) + 1);
    }
  }

  #checkWatermark(): void {
    const body = this.#inner.all('pipeline').find(({ id }) => id === PIPELINE_DOCUMENT.id)?.body;
    const watermark = (body as Record<string, number> | undefined)?.['in:two'] ?? MIN_TIMESTAMP;
    if (watermark === this.#watermark) return;
    this.#watermark = watermark;
    const taken = new Set(this.#taken());
    const passed = this.#elements.find(({ id, at }) => at < watermark && !taken.has(id));
    if (passed !== undefined) this.#wrong ??= `the watermark ${watermark} passed element ${passed.id} at ${passed.at}`;
  }

  /** Everything has arrived, and everybody knows it. */
  #isDone(): boolean {
    return this.#elements.length === ELEMENTS && this.#leftOver() === undefined;
  }

  #leftOver(): string | undefined {
    const counts = new Map<number, number>();
    for (const id of this.#taken()) counts.set(id, (counts.get(id) ?? 0) + 1);
    for (const { id } of this.#elements) {
      const [taken, commits] = [counts.get(id) ?? 0, this.#committed.get(id) ?? 0];
      if (commits === 0 || taken !== commits)
        return `element ${id} was taken ${taken} times, committed ${commits} times`;
    }
    if (this.#elements.length < ELEMENTS) return 'no more elements were taken in';
    const last = Math.max(...this.#elements.map(({ at }) => at));
    if (this.#watermark <= last) return `the watermark stands at ${this.#watermark}, before ${last}`;
    if (this.#inner.size('outbox') > 0) return `${this.#inner.size('outbox')} outbox documents are left`;
    for (const root of this.#roots()) {
      if (Object.keys(root.open).length > 0) return `${root.id} has open ranges`;
      if (!isShardRoot(root.id) && !isFoldedRoot(root.id)) return `${root.id} was not retired`;
      const strangers = Object.keys(root.done).filter((sender) => !isShardRoot(sender));
      if (strangers.length > 0) return `${root.id} remembers ${strangers[0]}, which is gone`;
    }
    return undefined;
  }

  #taken(): number[] {
    return this.#roots()
      .filter(({ id }) => id.startsWith('two~'))
      .flatMap(({ extra }) => (extra as number[] | undefined) ?? []);
  }

  #roots(): Root[] {
    return this.#inner.all('roots').map(({ body }) => body as Root);
  }

  #count(what: string, by = 1): void {
    this.#happened[what] = (this.#happened[what] ?? 0) + by;
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }
}

function newOwner(): Owner {
  return { alive: true, frozenUntil: 0 };
}
