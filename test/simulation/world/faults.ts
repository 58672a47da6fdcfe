/**
 * Which faults happen. Every kind draws from a stream of its own, and every occurrence has a name, so that a scenario
 * can be told to leave single ones out and go on as before for as long as possible.
 */
import { Random } from './random.ts';

/** Every kind of fault, with what it means. The probability is that of each occasion. */
export const FAULT_KINDS = {
  // The bus.
  messageLost: 'a message is accepted and never delivered',
  messageRepeated: 'a message is delivered once more, seconds to half an hour later',
  messageDelayed: 'a message comes seconds to minutes late',
  ackLost: 'a message is taken, but the bus does not learn it and delivers again',
  sendFailed: 'the bus refuses a batch',
  sendAnswerLost: 'the bus accepts a batch, but the answer is an error',
  sendCut: 'the bus accepts a part of a batch, and the answer is an error',
  sampleMissing: 'there is no sample of a backlog',
  sampleFailed: 'a sample of a backlog cannot be read',
  // The store.
  readFailed: 'a read fails',
  commitFailed: 'a commit is not applied, and the answer is an error',
  commitAnswerLost: 'a commit is applied, but the answer is an error',
  commitAborted: 'a commit is not applied because of contention on its documents',
  slowCall: 'a call is on its way for up to a minute',
  storeOutage: 'the store is down for a while',
  busOutage: 'the bus is down for a while',
  // Instances.
  crashBefore: 'an instance dies when it is about to make a call',
  crashInside: 'an instance dies while a call is under way',
  crashAfter: 'an instance dies when a call has been answered',
  crashAtLast: 'an instance dies when all is read, and leaves others that know less',
  freeze: 'an instance stands still for seconds to five minutes, and then goes on',
  secondInstance: 'another instance of a service starts beside the one there is',
  clockSkewed: 'the clock of a new instance is off by up to two minutes',
  clockStepsBack: 'the clock of an instance steps back',
  deployed: 'a new topology is deployed while the instances of the old one are at work',
  secondReader: 'a split is read by two at once',
  replayed: 'an operator replays the dead letters, mended, or two do at once',
  stagePaused: 'an operator pauses a stage for seconds to an hour',
  deployerStands: 'somebody who deploys stands still for seconds to five minutes, while others deploy too',
  // Sweeps.
  sweepSkipped: 'a sweep does not happen',
  sweepDoubled: 'a sweep happens twice at once',
  sweepFresh: 'a sweep is made by a new instance',
  // The warehouse.
  mergeContention: 'the table is being changed by another job',
  mergeAnswerLost: 'a job is done, but its outcome is unknown',
  mergeNeverArrives: 'a job was never received, and its outcome is unknown',
  mergeSlow: 'a job runs for seconds to minutes, and its outcome is unknown meanwhile',
  mergeUnreachable: 'nothing is received, and the call ends in an error',
  // The model.
  modelThrottles: 'the model is asked too much',
  modelUnavailable: 'the model is down',
  modelAnswersInPart: 'the model leaves an answer out',
  modelSlow: 'the model takes seconds to a minute',
  // The store that steps look things up in.
  lookUpFailed: 'the store that is looked up is down',
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;
export type FaultCounts = Partial<Record<FaultKind, number>>;

/** When one kind of fault happens. */
interface Occasions {
  readonly rate: number;
  readonly random: Random;
  /** How many there were. */
  count: number;
}

export class Faults {
  /** Which have happened, in order: `{kind}#{occasion}`. */
  readonly happened: string[] = [];
  readonly counts: FaultCounts = {};
  /** Of the kinds that may happen. */
  readonly #occasions = new Map<FaultKind, Occasions>();
  readonly #only: ReadonlySet<string> | undefined;
  readonly #report: (kind: FaultKind, occasion: string) => void;
  #isOver = false;

  /** @param only when given, no other occurrences happen than these */
  constructor(
    seed: number,
    rates: FaultRates,
    only: readonly string[] | undefined,
    report: (kind: FaultKind, occasion: string) => void,
  ) {
    for (const [kind, rate] of Object.entries(rates) as [FaultKind, number][])
      this.#occasions.set(kind, { rate, random: new Random(seed, kind), count: 0 });
    this.#only = only === undefined ? undefined : new Set(only);
    this.#report = report;
  }

  /** No fault happens any more. */
  stop(): void {
    this.#isOver = true;
    this.#occasions.clear();
  }

  /** Whether no fault can happen any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether a fault happens on this occasion. */
  happens(kind: FaultKind): boolean {
    const occasions = this.#occasions.get(kind);
    if (occasions === undefined) return false;
    occasions.count += 1;
    if (!occasions.random.chance(occasions.rate)) return false;
    const occasion = `${kind}#${occasions.count}`;
    if (this.#only !== undefined && !this.#only.has(occasion)) return false;
    this.happened.push(occasion);
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    this.#report(kind, occasion);
    return true;
  }
}
