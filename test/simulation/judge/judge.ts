/**
 * The judgement at the end of a run: every element has exactly one end, each where a batch program would put it, and
 * nothing that was in time at its source was late anywhere.
 */
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import type { Row } from '../../../functions/ports/warehouse.ts';
import type { RecordSpec, Scenario, StageSpec } from '../scenario.ts';
import { keyIn, paneToken, tokenIn, tokensIn } from '../world/tokens.ts';
import type { World } from '../world/world.ts';
import { type Bounds, joinSessions, windowsOf } from './batch-model.ts';
import {
  byWindow,
  checkSequence,
  contentOf,
  type PaneRow,
  paneRow,
  tokensOf,
  type Windows,
  windowName,
} from './panes.ts';
import type { Punctuality } from './punctuality.ts';
import { judgeBranches } from './branches/branches.ts';
import { checkEarlyPanes } from './triggers.ts';
import { isUndelivered } from './undelivered.ts';
import { Violation } from './violation.ts';
import type { Watch } from './watch.ts';

/** An element as it comes to a stage. */
interface Arrival {
  readonly token: string;
  readonly key: string;
  readonly at: number;
  /** Where it belongs; of sessions, the window it would be alone. */
  readonly windows: readonly Bounds[];
  /** The source's watermark before its commit; undefined when nothing is known of it. */
  readonly watermark: number | undefined;
  /** Nothing in it was late at its source. */
  readonly inTime: boolean;
}

interface Late {
  readonly token: string;
  readonly window: Bounds;
  readonly watermark: number;
  readonly reason: string;
}

export function judge(scenario: Scenario, world: World, watch: Watch): void {
  const { punctuality } = watch;
  const letters = world.letters();
  const { failed, replayed } = checkFlawed(scenario, letters);
  let arrivals = recordArrivals(scenario, failed, replayed, punctuality);
  judgeBranches(scenario, letters, world, watch, replayed);
  for (const spec of effectiveStages(scenario.pipeline.stages)) {
    const panes = rowsOf(world, spec, 'panes').map(paneRow);
    const windows = byWindow(panes);
    checkTables(spec, panes, windows, world);
    const late = lateOf(spec, letters, world);
    if (spec.windows?.kind === 'sessions') checkSessions(spec, arrivals, windows, late);
    else checkWindows(spec, arrivals, windows, late);
    checkLate(spec, arrivals, late);
    if (hasOwnTrigger(scenario, spec)) checkEarlyPanes(spec, windows.values());
    if (punctuality.allInTime) checkPunctual(spec, windows, arrivals);
    arrivals = paneArrivals(scenario, spec, windows, arrivals);
  }
}

/** Behind a grouping another trigger goes on, and where windows merge, another counts. */
function hasOwnTrigger({ pipeline }: Scenario, { name, windows }: StageSpec): boolean {
  return windows?.kind !== 'sessions' && pipeline.stages.find((spec) => spec.name === name)!.windows !== undefined;
}

/** A stage without windows of its own goes on with those of the stage before, and all that belongs to them. */
function effectiveStages(stages: readonly StageSpec[]): StageSpec[] {
  const effective: StageSpec[] = [];
  for (const spec of stages) {
    const previous = effective.at(-1);
    if (spec.windows !== undefined || previous === undefined) {
      // Windowing again never lowers the lateness.
      effective.push({ ...spec, lateness: Math.max(spec.lateness, previous?.lateness ?? 0) });
      continue;
    }
    const { windows: _, trigger, accumulating, lateness, timestamps, emptyOnTime, emptyLast } = previous;
    effective.push({ ...spec, trigger, accumulating, lateness, timestamps, emptyOnTime, emptyLast });
  }
  return effective;
}

/**
 * What cannot be read, or makes a step or a combine throw, is one dead letter each; but what is late never gets as far as
 * the combine. @returns the tokens of those that failed before the first grouping has taken them, and of those that an
 * operator has brought back since
 */
function checkFlawed(
  scenario: Scenario,
  letters: readonly DeadLetter[],
): { readonly failed: ReadonlySet<string>; readonly replayed: ReadonlySet<string> } {
  const isAsked = scenario.pipeline.enriched !== undefined;
  const flawed = scenario.records.filter(({ flaw }) => flaw !== undefined && (flaw !== 'model' || isAsked));
  const expected = flawed.map(({ id }) => id);
  const found = letters
    .filter((letter) => (letter.kind === 'element' || letter.kind === 'source') && !isUndelivered(letter))
    .map(({ value }) => String(tokenIn(value)));
  const surplus = found.filter((token, i) => !expected.includes(token) || found.indexOf(token) !== i);
  const missing = flawed.filter(({ id, flaw }) => flaw !== 'add' && !found.includes(id)).map(({ id }) => id);
  if (surplus.length + missing.length > 0)
    throw new Violation('what fails is one dead letter', `missing ${missing}, too many ${surplus}`);
  const refused = new Set(flawed.filter(({ flaw }) => flaw === 'model').map(({ id }) => id));
  const replayed = letters
    .filter(({ kind, status }) => kind !== 'row' && kind !== 'firing' && status === 'replayed')
    .map(({ value }) => String(tokenIn(value)));
  const failed = found.filter((token) => !refused.has(token) && !replayed.includes(token));
  return { failed: new Set(failed), replayed: new Set(replayed) };
}

function rowsOf(world: World, spec: StageSpec, table: string): Row[] {
  return world.rows(`${spec.name}-${table}`.replaceAll('-', '_'));
}

function recordArrivals(
  scenario: Scenario,
  failed: ReadonlySet<string>,
  replayed: ReadonlySet<string>,
  punctuality: Punctuality,
): Arrival[] {
  const [first] = scenario.pipeline.stages;
  // A scenario that is shrunk may have nothing but a branch.
  if (first === undefined) return [];
  const arrive = ({ id, key, at, flaw }: RecordSpec): Arrival => {
    const comesLater = replayed.has(id) && flaw !== 'model';
    const watermark = comesLater ? undefined : punctuality.watermarkAt(id);
    return {
      token: id,
      key: keyIn(key, first.keys),
      at,
      windows: windowsOf(first.windows!, at),
      watermark,
      inTime: watermark !== undefined && at >= watermark,
    };
  };
  return scenario.records.filter(({ id }) => !failed.has(id)).map(arrive);
}

/** The panes of a stage as the next one gets them. */
function paneArrivals(scenario: Scenario, spec: StageSpec, windows: Windows, before: readonly Arrival[]): Arrival[] {
  const { stages } = scenario.pipeline;
  const next = stages[stages.findIndex(({ name }) => name === spec.name) + 1];
  if (next === undefined) return [];
  const inTime = new Set(before.filter((arrival) => arrival.inTime).map(({ token }) => token));
  const late = new Set<string>();
  return [...windows].flatMap(([name, sequence]) =>
    sequence.map(({ key, start, end, index, at, tokens, timing }) => {
      // What came late has made a window late for what follows it, which may be an empty pane.
      if (timing === 'LATE' || tokens.some((token) => !inTime.has(token))) late.add(name);
      return {
        token: paneToken(key, start, end, index),
        key: keyIn(`${key}${index}`, next.keys),
        at,
        windows: next.windows === undefined ? [{ start, end }] : windowsOf(next.windows, at),
        watermark: undefined,
        inTime: !late.has(name),
      };
    }),
  );
}

/** One row a place, and the newest pane of each window where only that is kept. */
function checkTables(spec: StageSpec, panes: readonly PaneRow[], windows: Windows, world: World): void {
  const places = new Set<string>();
  for (const pane of panes) {
    const place = `${windowName(pane.key, pane)} ${pane.index}`;
    if (places.has(place)) throw new Violation('a table has one row of a key', `${spec.name}-panes ${place}`);
    places.add(place);
  }
  for (const [name, sequence] of windows) checkSequence(name, sequence, spec);
  if (!spec.keepsNewest) return;
  const newest = rowsOf(world, spec, 'newest');
  if (newest.length !== windows.size)
    throw new Violation(
      'a table has one row of a key',
      `${spec.name}-newest has ${newest.length} rows of ${windows.size} windows`,
    );
  for (const row of newest) {
    const name = windowName(row['k'] as string, { start: Number(row['window_start']), end: Number(row['window_end']) });
    const last = windows.get(name)?.at(-1);
    if (last === undefined || last.index !== Number(row['pane']) || String(last.tokens) !== String(tokensOf(row)))
      throw new Violation(
        'the newest pane of a key stays',
        `${spec.name}-newest ${name} has pane ${row['pane']} instead of ${last?.index}`,
      );
  }
}

function lateOf(spec: StageSpec, letters: readonly DeadLetter[], world: World): Late[] {
  const own = letters.filter(({ kind, stage }) => kind === 'late' && stage === spec.name);
  if (spec.readsLate && own.length > 0)
    throw new Violation('late elements go where they are read', `${spec.name} has dead letters of them`);
  const fromLetters = own.flatMap(({ value, windows, watermark, code }) =>
    tokensIn(value).map((token) => ({ token, window: windows![0]!, watermark: watermark!, reason: code })),
  );
  const fromTable = rowsOf(world, spec, 'late').flatMap((row) =>
    tokensOf(row).map((token) => ({
      token,
      window: { start: Number(row['window_start']), end: Number(row['window_end']) },
      watermark: Number(row['watermark']),
      reason: row['reason'] as string,
    })),
  );
  return [...fromLetters, ...fromTable];
}

/** Windows that do not merge: of each, what came is what its panes hold and what was late. */
function checkWindows(spec: StageSpec, arrivals: readonly Arrival[], windows: Windows, late: readonly Late[]): void {
  const expected = new Map<string, string[]>();
  for (const { key, token, windows: own } of arrivals)
    for (const window of own) {
      const name = windowName(key, window);
      expected.set(name, [...(expected.get(name) ?? []), token]);
    }
  const keys = new Map(arrivals.map(({ token, key }) => [token, key]));
  const ends = new Map<string, string[]>();
  const end = (name: string, tokens: Iterable<string>) => ends.set(name, [...(ends.get(name) ?? []), ...tokens]);
  for (const [name, sequence] of windows) end(name, contentOf(name, sequence, spec));
  for (const { token, window } of late) end(windowName(String(keys.get(token)), window), [token]);
  for (const name of new Set([...expected.keys(), ...ends.keys()])) {
    const [should, is] = [expected.get(name) ?? [], ends.get(name) ?? []].map((tokens) => tokens.sort().join(' '));
    if (should !== is)
      throw new Violation(
        'each element has exactly one end',
        `${spec.name} ${name} has ended ${is} instead of ${should}`,
      );
  }
}

/** Sessions: each element in one of those that no other holds, or late; without late ones, those of a batch program. */
function checkSessions(spec: StageSpec, arrivals: readonly Arrival[], panes: Windows, late: readonly Late[]): void {
  const windows = [...panes].map(([name, sequence]) => ({ name, sequence, window: sequence[0]! }));
  const isInside = (a: PaneRow, b: PaneRow) => a !== b && a.key === b.key && b.start <= a.start && a.end <= b.end;
  const kept = spec.accumulating
    ? windows.filter(({ window }) => !windows.some((other) => isInside(window, other.window)))
    : windows;
  const ends = [
    ...kept.flatMap(({ name, sequence }) => [...contentOf(name, sequence, spec)]),
    ...late.map(({ token }) => token),
  ];
  const [should, is] = [arrivals.map(({ token }) => token), ends].map((tokens) => tokens.sort().join(' '));
  if (should !== is)
    throw new Violation('each element has exactly one end', `${spec.name} has ended ${is} instead of ${should}`);
  const placed = new Map(arrivals.map((arrival) => [arrival.token, arrival]));
  for (const { window, sequence, name } of windows)
    for (const token of sequence.flatMap(({ tokens }) => tokens)) {
      const { key, at, windows: alone } = placed.get(token)!;
      if (key !== window.key || at < window.start || alone[0]!.end > window.end)
        throw new Violation(
          'sessions hold what belongs to them',
          `${spec.name} ${name} holds ${token} of ${key} at ${at}`,
        );
    }
  if (arrivals.some(({ inTime }) => !inTime)) return;
  for (const key of new Set(arrivals.map((arrival) => arrival.key))) {
    const own = arrivals.filter((arrival) => arrival.key === key).flatMap((arrival) => arrival.windows);
    const names = joinSessions(own).map((session) => windowName(key, session));
    const outermost = windows.filter(
      ({ window }) => window.key === key && !windows.some((other) => isInside(window, other.window)),
    );
    if (
      names.sort().join() !==
      outermost
        .map(({ name }) => name)
        .sort()
        .join()
    )
      throw new Violation(
        'sessions are those of a batch program',
        `${spec.name}: ${outermost.map(({ name }) => name)} instead of ${names}`,
      );
  }
}

/** Only what was late at its source may be late, and only by a watermark that its source had reached. */
function checkLate(spec: StageSpec, arrivals: readonly Arrival[], late: readonly Late[]): void {
  const placed = new Map(arrivals.map((arrival) => [arrival.token, arrival]));
  for (const { token, window, watermark, reason } of late) {
    const arrival = placed.get(token)!;
    const fail = (why: string): never => {
      throw new Violation(
        'what is in time at its source is late nowhere',
        `${spec.name}: ${token} at ${arrival.at} (${reason} by ${watermark}) ${why}`,
      );
    };
    if (arrival.inTime) fail('was in time');
    const expiry = window.end - 1 + spec.lateness;
    if (watermark <= expiry && reason !== 'LATE_CLOSED' && reason !== 'closed')
      fail(`though its window expires at ${expiry}`);
    if (arrival.watermark !== undefined && arrival.watermark < watermark)
      fail(`when its source was at ${arrival.watermark}`);
  }
}

/** Without late elements no pane is late but empty ones, and the watermark's pane comes. */
function checkPunctual(spec: StageSpec, sequences: Windows, arrivals: readonly Arrival[]): void {
  const inTime = new Set(arrivals.filter((arrival) => arrival.inTime).map(({ token }) => token));
  const byWatermark = spec.trigger.kind === 'afterWatermark' || spec.trigger.kind === 'default';
  for (const [name, sequence] of sequences) {
    const timings = sequence.map(({ timing }) => timing);
    for (const [i, { timing, tokens }] of sequence.entries()) {
      const known = spec.accumulating ? (sequence[i - 1]?.tokens ?? []) : [];
      // What comes late may extend a session, which then brings again what was in it.
      const isMixed = spec.windows?.kind === 'sessions' && tokens.some((token) => !inTime.has(token));
      if (timing === 'LATE' && !isMixed && tokens.some((token) => inTime.has(token) && !known.includes(token)))
        throw new Violation('without late elements no pane brings something late', `${spec.name} ${name}: ${timings}`);
    }
    const isMerged =
      spec.windows?.kind === 'sessions' &&
      [...sequences.values()].some(
        ([other]) =>
          other!.key === sequence[0]!.key &&
          other !== sequence[0] &&
          other!.start <= sequence[0]!.start &&
          sequence[0]!.end <= other!.end,
      );
    const content = sequence.flatMap(({ tokens }) => tokens);
    const isOnTime =
      spec.windows?.kind === 'sessions'
        ? content.every((token) => inTime.has(token))
        : content.some((token) => inTime.has(token));
    if (byWatermark && spec.emptyOnTime && isOnTime && !isMerged && !timings.includes('ON_TIME'))
      throw new Violation('each window has its pane on time', `${spec.name} ${name}: ${timings}`);
  }
}
