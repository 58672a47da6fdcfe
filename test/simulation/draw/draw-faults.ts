import { FAULT_KINDS, type FaultKind, type FaultRates } from '../world/faults.ts';
import type { Random } from '../world/random.ts';

/** All but those that only some scenarios have occasion for. */
type DrawnKind = Exclude<FaultKind, 'deployerStands'>;

/** Faults that are asked for at every call are rarer than those that are asked for at every message or sweep. */
const MOST: Readonly<Record<DrawnKind, number>> = {
  messageLost: 0.3,
  messageRepeated: 0.4,
  messageDelayed: 0.2,
  ackLost: 0.2,
  sendFailed: 0.1,
  sendAnswerLost: 0.1,
  sendCut: 0.1,
  sampleMissing: 0.3,
  sampleFailed: 0.3,
  readFailed: 0.1,
  commitFailed: 0.1,
  commitAnswerLost: 0.15,
  commitAborted: 0.15,
  slowCall: 0.05,
  storeOutage: 0.005,
  busOutage: 0.01,
  crashBefore: 0.02,
  crashInside: 0.02,
  crashAfter: 0.02,
  crashAtLast: 0.1,
  freeze: 0.02,
  secondInstance: 0.1,
  clockSkewed: 0.6,
  clockStepsBack: 0.02,
  deployed: 0.2,
  replayed: 0.3,
  stagePaused: 0.2,
  secondReader: 0.1,
  sweepSkipped: 0.5,
  sweepDoubled: 0.5,
  sweepFresh: 0.5,
  mergeContention: 0.3,
  mergeAnswerLost: 0.3,
  mergeNeverArrives: 0.2,
  mergeSlow: 0.3,
  mergeUnreachable: 0.2,
  modelThrottles: 0.3,
  modelUnavailable: 0.3,
  modelAnswersInPart: 0.4,
  modelSlow: 0.2,
  lookUpFailed: 0.2,
};
const KINDS = Object.keys(FAULT_KINDS).filter((kind) => kind !== 'deployerStands') as DrawnKind[];

/** What is dangerous together. */
const COMBINATIONS: readonly (readonly DrawnKind[])[] = [
  ['secondInstance', 'crashBefore', 'crashInside', 'crashAfter'],
  ['secondInstance', 'crashAtLast'],
  ['secondInstance', 'crashAfter'],
  ['secondInstance', 'crashBefore'],
  ['secondInstance', 'freeze', 'slowCall'],
  ['readFailed', 'commitFailed', 'commitAborted', 'commitAnswerLost'],
  ['readFailed', 'crashAfter'],
  ['sweepDoubled', 'sweepFresh', 'slowCall', 'freeze'],
  ['sweepDoubled', 'slowCall'],
  ['mergeSlow', 'mergeContention', 'mergeAnswerLost', 'freeze', 'secondInstance'],
  ['messageRepeated', 'messageDelayed', 'ackLost', 'stagePaused'],
  ['messageLost', 'sendCut', 'crashAfter', 'deployed'],
  ['modelThrottles', 'modelUnavailable', 'modelAnswersInPart', 'modelSlow', 'crashAfter'],
  ['replayed', 'ackLost', 'messageRepeated', 'commitAnswerLost'],
  ['replayed', 'crashAfter', 'sendCut', 'commitAborted'],
];

/** Some runs know every fault, some a few of them, and those often, some none: what is rare together is met alone. */
export function drawFaults(random: Random): FaultRates {
  const draw = random.next();
  if (draw < 0.25) return often(random.pick(COMBINATIONS), random.spread(0.2, 4));
  if (draw < 0.45)
    return often(
      Array.from({ length: random.whole(1, 4) }, () => random.pick(KINDS)),
      1,
    );
  const share = random.pick([0, 0.2, 0.4, 0.7, 1]);
  const rates: Partial<Record<DrawnKind, number>> = {};
  for (const kind of KINDS) if (random.chance(share)) rates[kind] = random.spread(MOST[kind] / 20, MOST[kind]);
  return rates;
}

function often(kinds: readonly DrawnKind[], share: number): FaultRates {
  return Object.fromEntries(kinds.map((kind) => [kind, Math.min(0.7, MOST[kind] * share)]));
}
