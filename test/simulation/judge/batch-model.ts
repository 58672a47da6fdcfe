/**
 * Where elements belong, as a batch program would say that sees all input at once: windows by plain arithmetic, no
 * watermark, no trigger, and nothing of the engine.
 */
import { MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import type { WindowsSpec } from '../scenario.ts';

export interface Bounds {
  readonly start: number;
  readonly end: number;
}

const DAY = 86_400_000;

const END_OF_WINDOWS = MAX_TIMESTAMP - DAY + 1;

/** The windows of one timestamp, cut off at the ends of time; of a session, the one it would be alone. */
export function windowsOf(spec: WindowsSpec, at: number): Bounds[] {
  return uncut(spec, at).map(({ start, end }) => ({
    start: Math.max(start, MIN_TIMESTAMP),
    end: Math.min(end, END_OF_WINDOWS),
  }));
}

function uncut(spec: WindowsSpec, at: number): Bounds[] {
  switch (spec.kind) {
    case 'fixed': {
      const start = at - modulo(at - spec.offset, spec.size);
      return [{ start, end: start + spec.size }];
    }
    case 'sliding': {
      const windows: Bounds[] = [];
      for (let start = at - modulo(at, spec.every); start > at - spec.size; start -= spec.every)
        windows.push({ start, end: start + spec.size });
      return windows;
    }
    case 'sessions':
      return [{ start: at, end: at + spec.gap }];
    case 'global':
      return [{ start: MIN_TIMESTAMP, end: END_OF_WINDOWS }];
  }
}

/** Joins what overlaps. */
export function joinSessions(windows: readonly Bounds[]): Bounds[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of [...windows].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
