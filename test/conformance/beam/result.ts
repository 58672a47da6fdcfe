/** What running a case gives, and its form on paper. */
import { conform } from '../../../functions/cli/conform.ts';

export interface PaneJson {
  readonly window: readonly [number, number] | 'global';
  readonly values: readonly number[];
  readonly timestamp?: number;
  readonly timing: string;
  readonly index: number;
  readonly nonSpeculativeIndex: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export interface StepResult {
  readonly panes: readonly PaneJson[];
  readonly dropped: { readonly late: number; readonly closed: number };
  readonly hold: number | null;
}

export type Result = { readonly steps: readonly StepResult[] } | { readonly error: { readonly message: string } };

/** Runs a case with Millrace. */
export async function runCase(one: object): Promise<Result> {
  const written: string[] = [];
  await conform(lines(JSON.stringify(one)), (result) => written.push(result));
  return JSON.parse(written[0]!);
}

async function* lines(line: string): AsyncGenerator<string> {
  yield line;
}

/** A text for each step, or one for what went wrong. */
export function resultTexts(result: Result): string[] {
  return 'error' in result ? [`error: ${result.error.message}`] : result.steps.map(stepText);
}

/** For example `[0,10) {1,2}@9 ON_TIME#1/0*; dropped 1/0; hold 19`: panes, what was late and closed so far, the hold. */
function stepText({ panes, dropped, hold }: StepResult): string {
  const { late, closed } = dropped;
  return [
    ...panes.map(paneText).sort(),
    ...(late + closed === 0 ? [] : [`dropped ${late}/${closed}`]),
    ...(hold === null ? [] : [`hold ${hold}`]),
  ].join('; ');
}

/** As the catalogue writes panes. The first of a window is the one whose index is 0; whatever says otherwise shows. */
function paneText({
  window,
  values,
  timestamp,
  timing,
  index,
  nonSpeculativeIndex,
  isFirst,
  isLast,
}: PaneJson): string {
  const where = window === 'global' ? 'global' : `[${window[0]},${window[1]})`;
  const at = timestamp === undefined ? '' : `@${timestamp}`;
  const sorted = [...values].sort((a, b) => a - b).join();
  const first = isFirst === (index === 0) ? '' : `first=${isFirst}`;
  return `${where} {${sorted}}${at} ${timing}#${index}/${nonSpeculativeIndex}${isLast ? '*' : ''}${first}`;
}
