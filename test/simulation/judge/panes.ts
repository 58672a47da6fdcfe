/** Whether the panes of one key and window are a legal sequence, and what they hold together. */
import type { Row } from '../../../functions/ports/warehouse.ts';
import type { StageSpec } from '../scenario.ts';
import { Violation } from './violation.ts';

export interface PaneRow {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly index: number;
  readonly nonSpeculative: number;
  readonly timing: 'EARLY' | 'ON_TIME' | 'LATE';
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly at: number;
  readonly tokens: readonly string[];
}

export function paneRow(row: Row): PaneRow {
  return {
    key: row['k'] as string,
    start: Number(row['window_start']),
    end: Number(row['window_end']),
    index: Number(row['pane']),
    nonSpeculative: Number(row['non_speculative']),
    timing: row['timing'] as PaneRow['timing'],
    isFirst: row['is_first'] as boolean,
    isLast: row['is_last'] as boolean,
    at: Number(row['at']),
    tokens: tokensOf(row),
  };
}

/** A JSON column, which travels as text. */
export function tokensOf(row: Row, column = 'tokens'): string[] {
  const tokens = row[column];
  return (typeof tokens === 'string' ? JSON.parse(tokens) : tokens) as string[];
}

/** Panes by the name of their key and window, each in order. */
export type Windows = ReadonlyMap<string, readonly PaneRow[]>;

export function byWindow(panes: readonly PaneRow[]): Windows {
  const windows = Map.groupBy(panes, (pane) => windowName(pane.key, pane));
  for (const sequence of windows.values()) sequence.sort((a, b) => a.index - b.index);
  return windows;
}

export function windowName(key: string, { start, end }: { readonly start: number; readonly end: number }): string {
  return `${key} [${start}, ${end})`;
}

const ORDER = ['EARLY', 'ON_TIME', 'LATE'];

export function checkSequence(name: string, panes: readonly PaneRow[], spec: StageSpec): void {
  let nonSpeculative = 0;
  for (const [i, pane] of panes.entries()) {
    const fail = (what: string): never => {
      throw new Violation('panes are a legal sequence', `${spec.name} ${name} pane ${pane.index} ${what}`);
    };
    if (pane.index !== i) fail(`stands at ${i}`);
    if (pane.isFirst !== (i === 0)) fail('is wrong about being first');
    if (pane.isLast && i !== panes.length - 1) fail('is called the last');
    const before = panes[i - 1];
    if (before !== undefined && ORDER.indexOf(pane.timing) < ORDER.indexOf(before.timing))
      fail(`is ${pane.timing} after ${before.timing}`);
    if (before?.timing === 'ON_TIME' && pane.timing === 'ON_TIME') fail('is ON_TIME a second time');
    if (pane.nonSpeculative !== (pane.timing === 'EARLY' ? -1 : nonSpeculative))
      fail(`has non-speculative index ${pane.nonSpeculative}`);
    if (pane.timing !== 'EARLY') nonSpeculative += 1;
    if (new Set(pane.tokens).size !== pane.tokens.length) fail(`holds an element twice: ${pane.tokens}`);
    if (pane.at < pane.start || pane.at >= pane.end) fail(`is stamped ${pane.at}, outside its window`);
    if (spec.accumulating && before !== undefined)
      for (const token of before.tokens) if (!pane.tokens.includes(token)) fail(`has lost ${token}`);
  }
}

/** What panes of one window hold together. */
export function contentOf(name: string, panes: readonly PaneRow[], spec: StageSpec): Set<string> {
  if (spec.accumulating) return new Set(panes.at(-1)!.tokens);
  const content = new Set<string>();
  for (const pane of panes)
    for (const token of pane.tokens) {
      if (content.has(token))
        throw new Violation('each element has exactly one end', `${token} is in two panes of ${spec.name} ${name}`);
      content.add(token);
    }
  return content;
}
