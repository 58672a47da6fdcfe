/**
 * Where Millrace differs from Beam on purpose, told by what a case does; ARCHITECTURE.md says why. What these name may
 * still be the same in both.
 */
import { type CaseJson, type TriggerJson, WHOLE_TIME } from './draw-case.ts';
import { type Result, resultTexts, type StepResult } from './result.ts';

/** Which difference may show in a case, if any. */
export function knownDifference(one: CaseJson, beams: Result, ours: Result): string | undefined {
  if ('error' in ours) return undefined;
  if ('error' in beams) return 'Beam fails: a part of the trigger that has finished is asked again';
  if (comesAgainAtEnd(one)) return 'a delay is over after the end of time';
  if (one.window.type !== 'sessions') return undefined;
  const { gap } = one.window;
  if (bringsLateSessions(one, gap)) return 'several new late sessions in one bundle';
  if (comesBackToClosed(one, gap, beams.steps, ours.steps)) return 'a session grows to the bounds of a closed one';
  if (reopens(one, beams)) return 'a later part of afterEach goes on counting where a session was merged away';
  const mayLoseHold = one.accumulation === 'discarding' && hasDelay(one.trigger);
  if (mayLoseHold && contents(beams) === contents(ours)) return 'a stale timer takes the hold of a merged session';
  return undefined;
}

/** Whether a delay may be over when the last pane has been, of windows that expire at the end of time only. */
function comesAgainAtEnd({ allowedLateness, closing, trigger, steps }: CaseJson): boolean {
  const end = steps.findIndex((step) => 'watermark' in step && step.watermark === 'infinity');
  const goesOn = end >= 0 && steps.slice(end).some((step) => 'processingTime' in step);
  return goesOn && allowedLateness === WHOLE_TIME && closing === 'always' && hasDelay(trigger);
}

/** Whether a bundle has different windows that overlap, so that their union has ended at the watermark. */
function bringsLateSessions({ steps }: CaseJson, gap: number): boolean {
  let watermark = Number.NEGATIVE_INFINITY;
  for (const step of steps) {
    if ('watermark' in step) watermark = step.watermark === 'infinity' ? Number.POSITIVE_INFINITY : step.watermark;
    if (!('input' in step)) continue;
    const starts = [...new Set(step.input.map(({ timestamp }) => timestamp))].sort((a, b) => a - b);
    for (let i = 1; i < starts.length; i++) {
      const overlaps = starts[i]! - starts[i - 1]! < gap;
      if (overlaps && starts[i]! + gap <= watermark) return true;
    }
  }
  return false;
}

/** Whether elements come at both ends of a session that was closed, by its last pane or by what Beam alone drops. */
function comesBackToClosed(
  { steps }: CaseJson,
  gap: number,
  beams: readonly StepResult[],
  ours: readonly StepResult[],
): boolean {
  const dropsMore = (beams.at(-1)?.dropped.closed ?? 0) > (ours.at(-1)?.dropped.closed ?? 0);
  return beams.some(({ panes }, i) =>
    panes.some(({ window, isLast }) => {
      if (window === 'global' || !(isLast || dropsMore)) return false;
      const later = steps.slice(i + 1).flatMap((step) => ('input' in step ? step.input : []));
      const comes = (at: number): boolean => later.some(({ timestamp }) => timestamp === at);
      return comes(window[0]) && comes(window[1] - gap);
    }),
  );
}

/** Whether a trigger with an `afterEach` has closed a session, and more elements come. */
function reopens({ trigger, steps }: CaseJson, result: Result): boolean {
  if ('error' in result || !JSON.stringify(trigger).includes('afterEach')) return false;
  const closed = result.steps.findIndex(({ panes }) => panes.some(({ isLast }) => isLast));
  return closed >= 0 && steps.slice(closed + 1).some((step) => 'input' in step);
}

function hasDelay(trigger: TriggerJson): boolean {
  return JSON.stringify(trigger).includes('afterProcessingTime');
}

/** What panes there are and what is in them, whatever the output watermark has been. */
function contents(result: Result): string {
  return resultTexts(result)
    .map((text) => text.replaceAll(/@-?\d+|(; )?hold -?\d+|(ON_TIME|LATE)/g, ''))
    .join('\n');
}
