import { FAULT_KINDS, type FaultKind, type FaultRates } from '../world/faults.ts';
import type { Random } from '../world/random.ts';

/** Faults that are asked for at every call are rarer than those that are asked for at every message or sweep. */
const MOST: Readonly<Record<FaultKind, number>> = {
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
  freeze: 0.02,
  secondInstance: 0.1,
  clockSkewed: 0.6,
  clockStepsBack: 0.02,
  deployed: 0.2,
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
};
const KINDS = Object.keys(FAULT_KINDS) as FaultKind[];

/** Some runs know every fault, some a few of them, and those often, some none: what is rare together is met alone. */
export function drawFaults(random: Random): FaultRates {
  const rates: Partial<Record<FaultKind, number>> = {};
  if (random.chance(0.4)) {
    for (let i = random.whole(1, 4); i > 0; i--) {
      const kind = random.pick(KINDS);
      rates[kind] = MOST[kind];
    }
    return rates;
  }
  const share = random.pick([0, 0.2, 0.4, 0.7, 1]);
  for (const kind of KINDS) if (random.chance(share)) rates[kind] = random.spread(MOST[kind] / 20, MOST[kind]);
  return rates;
}
