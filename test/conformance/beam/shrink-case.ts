/** Making a case smaller while something stays true of it. */
import type { CaseJson, StepJson, TriggerJson } from './draw-case.ts';

/** @param holds whether a smaller case still shows it */
export async function shrinkCase(one: CaseJson, holds: (one: CaseJson) => Promise<boolean>): Promise<CaseJson> {
  let smallest = one;
  let goesOn = true;
  while (goesOn) {
    goesOn = false;
    for (const smaller of smallerCases(smallest)) {
      if (!(await holds(smaller))) continue;
      smallest = smaller;
      goesOn = true;
      break;
    }
  }
  return smallest;
}

function* smallerCases(one: CaseJson): Generator<CaseJson> {
  const { steps } = one;
  for (let length = steps.length >> 1; length > 0; length >>= 1) {
    for (let i = 0; i + length <= steps.length; i++) {
      yield { ...one, steps: [...steps.slice(0, i), ...steps.slice(i + length)] };
    }
  }
  for (const [i, step] of steps.entries()) {
    for (const smaller of smallerSteps(step)) yield { ...one, steps: steps.with(i, smaller) };
  }
  for (const trigger of smallerTriggers(one.trigger)) yield { ...one, trigger };
  if (one.allowedLateness > 0) yield { ...one, allowedLateness: 0 };
  if (one.accumulation !== 'accumulating') yield { ...one, accumulation: 'accumulating' };
  if (one.timestampCombiner !== 'endOfWindow') yield { ...one, timestampCombiner: 'endOfWindow' };
  if (one.closing !== 'ifNonEmpty') yield { ...one, closing: 'ifNonEmpty' };
  if (one.onTime !== 'always') yield { ...one, onTime: 'always' };
}

function* smallerSteps(step: StepJson): Generator<StepJson> {
  if (!('input' in step)) return;
  const { input } = step;
  if (input.length < 2) return;
  for (const i of input.keys()) yield { input: [...input.slice(0, i), ...input.slice(i + 1)] };
}

function* smallerTriggers(trigger: TriggerJson): Generator<TriggerJson> {
  switch (trigger.type) {
    case 'repeatedly':
      yield trigger.trigger;
      for (const part of smallerTriggers(trigger.trigger)) yield { ...trigger, trigger: part };
      break;
    case 'orFinally':
      yield trigger.trigger;
      yield trigger.until;
      for (const part of smallerTriggers(trigger.trigger)) yield { ...trigger, trigger: part };
      for (const part of smallerTriggers(trigger.until)) yield { ...trigger, until: part };
      break;
    case 'afterWatermark': {
      const { early, late } = trigger;
      if (early !== undefined) yield { type: 'afterWatermark', ...(late && { late }) };
      if (late !== undefined) yield { type: 'afterWatermark', ...(early && { early }) };
      if (early !== undefined) for (const part of smallerTriggers(early)) yield { ...trigger, early: part };
      if (late !== undefined) for (const part of smallerTriggers(late)) yield { ...trigger, late: part };
      break;
    }
    case 'afterFirst':
    case 'afterAll':
    case 'afterEach': {
      const { triggers } = trigger;
      yield* triggers;
      for (const [i, part] of triggers.entries()) {
        if (triggers.length > 2) yield { ...trigger, triggers: [...triggers.slice(0, i), ...triggers.slice(i + 1)] };
        for (const smaller of smallerTriggers(part)) yield { ...trigger, triggers: triggers.with(i, smaller) };
      }
      break;
    }
    case 'afterCount':
      if (trigger.count > 1) yield { ...trigger, count: trigger.count - 1 };
      break;
    case 'afterProcessingTime':
      if (trigger.delay > 0) yield { ...trigger, delay: 0 };
      break;
  }
}
