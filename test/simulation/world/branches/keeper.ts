/**
 * A step with state and timers beside the groupings: it keeps the tokens of a key and window until its event-time timer
 * fires, and calls each once more after some processing time. What it tells goes to a table, a row each.
 */
import type { PCollection } from '../../../../functions/model/collection.ts';
import {
  bagState,
  type BagState,
  combiningState,
  type CombiningState,
  mapState,
  type MapState,
  setState,
  type SetState,
  valueState,
} from '../../../../functions/model/state.ts';
import { emits } from '../../../../functions/model/dofn.ts';
import { eventTimer, processingTimerFamily } from '../../../../functions/model/timers.ts';
import type { View } from '../../../../functions/model/views.ts';
import { fixedWindows, globalWindow } from '../../../../functions/model/windows.ts';
import type { KeeperSpec } from '../../scenario.ts';
import type { Outside } from '../outside.ts';
import { collectTokens, type Item, keyIn } from '../tokens.ts';

/** What the step has told. */
export interface KeeperRow {
  readonly k: string;
  readonly window_start: number;
  readonly window_end: number;
  /** `kept`: by the event-time timer; `expired`: when the window was over; `called`: by a processing-time timer;
   * `saw`: with an element, what the view has shown to it. */
  readonly kind: 'kept' | 'expired' | 'called' | 'saw';
  /** To which instant the timer was set; of `expired` the window's last. */
  readonly fired_at: number;
  /** Counts what a key and window have kept and expired. */
  readonly round: number;
  readonly tokens: readonly string[];
  /** What it has not forgotten yet of what it kept; of `called` what it has marked the element with. */
  readonly recent: readonly (string | null)[];
}

export const KEEPER = 'keeper';
/** The timer that each element sets anew: it fires when none has come for a while. */
export const QUIET = 'quiet';

export function addKeeper(items: PCollection<Item>, spec: KeeperSpec, outside: Outside): void {
  const { windows, lateness, eventDelay, processingDelay, timeSorted, keeps = 'bag', throws = 0 } = spec;
  const { forgetsAfter, marks = false, failsFirings = false, sees } = spec;
  const forgets = forgetsAfter !== undefined;
  const forgetting = forgets ? { ttl: forgetsAfter } : {};
  items
    .keyBy(`${KEEPER}-key`, ({ key }) => keyIn(key, spec.keys))
    .window(`${KEEPER}-windows`, windows === undefined ? globalWindow() : fixedWindows(windows), {
      allowedLateness: lateness,
      accumulation: 'discarding',
    })
    .statefulParDo(
      KEEPER,
      {
        emits: emits<Omit<KeeperRow, 'window_start' | 'window_end'>>(),
        state: {
          bag: bagState<string>(),
          set: setState<string>(),
          map: mapState<string, true>(),
          combining: combiningState(collectTokens),
          recentBag: bagState<string>(forgetting),
          recentMap: mapState<string, true>(forgetting),
          marks: mapState<string, number>(),
          round: valueState<number>(),
        },
        timers: { keep: eventTimer(), call: processingTimerFamily() },
        process({ key, value }, { state, timers, timestamp, output, ...context }) {
          keep(state, keeps, value.token);
          if (forgets) keepForAWhile(state, keeps, value.token);
          // Whether it was there before takes effect though nobody asks.
          if (marks) state.marks.putIfAbsent(value.token, timestamp);
          if (marks) timers.call.get(QUIET).offset(processingDelay).setRelative();
          // A timer is set no later than its window's expiration, when it is set relative to an element.
          if (eventDelay !== undefined) timers.keep.offset(eventDelay).setRelative();
          timers.call.get(`${value.token}@${timestamp}`).offset(processingDelay).setRelative();
          // Nothing of it may stay.
          if (sees !== undefined) {
            const recent = (context as unknown as Seeing).side.seen;
            output({ k: key, kind: 'saw', fired_at: timestamp, round: 0, tokens: [value.token], recent });
          }
          if (outside.goesWrong(value.token, throws)) throw new Error('what was asked outside went wrong');
        },
        onTimer: {
          async keep({ key, state, firedAt, output }) {
            const round = state.round.read() ?? 0;
            state.round.write(round + 1);
            output({ k: key, kind: 'kept', fired_at: firedAt, round, ...(await taken(state, keeps, forgets)) });
          },
          async call({ key, state, tag, firedAt, output }) {
            if (tag === QUIET) {
              const tokens = [`${QUIET}@${firedAt}`];
              output({ k: key, kind: 'called', fired_at: firedAt, round: 0, tokens, recent: [] });
              return;
            }
            const [token] = String(tag).split('@') as [string];
            if (failsFirings && failsWhenCalled(token) && !outside.isMended) throw new Error('a timer that throws');
            const recent = marks ? [String(await state.marks.get(token))] : [];
            if (marks) state.marks.remove(token);
            if (forgets && !isBag(keeps)) state.recentMap.remove(token);
            output({ k: key, kind: 'called', fired_at: firedAt, round: 0, tokens: [String(tag)], recent });
          },
        },
        async onWindowExpiration({ key, state, window, output }) {
          const round = state.round.read() ?? 0;
          const told = await taken(state, keeps, forgets);
          if (failsFirings && failsWhenExpired(told.tokens)) throw new Error('an expiration that throws');
          if (told.tokens.length > 0) output({ k: key, kind: 'expired', fired_at: window.end - 1, round, ...told });
        },
      },
      {
        timeSorted,
        retry: { attempts: throws + 2, firstWait: 3_000 },
        ...(sees === undefined ? {} : { sideInputs: { seen: viewOf(items, sees) } }),
      },
    )
    .writeBigQuery(`${KEEPER}-rows`, {
      columns: {
        k: 'STRING',
        window_start: 'INT64',
        window_end: 'INT64',
        kind: 'STRING',
        fired_at: 'INT64',
        round: 'INT64',
        tokens: 'JSON',
        recent: 'JSON',
      },
      key: [],
      row: (row, { window }) => ({ ...row, window_start: window.start, window_end: window.end }),
      flush: { rows: 10, every: 10_000 },
    });
}

interface Seeing {
  readonly side: { readonly seen: readonly string[] };
}

function viewOf(items: PCollection<Item>, windows: number): View<readonly string[]> {
  return items
    .map(`${KEEPER}-view-token`, ({ token }) => token)
    .window(`${KEEPER}-view-windows`, fixedWindows(windows))
    .asList(`${KEEPER}-view`);
}

/** Whether the timer of an element throws. */
export function failsWhenCalled(token: string): boolean {
  return Number(token.slice(1)) % 4 === 1;
}

/** Whether the expiration of a window throws in which this is left. */
export function failsWhenExpired(tokens: readonly unknown[]): boolean {
  return tokens.length % 3 === 2;
}

interface Kept {
  readonly bag: BagState<string>;
  readonly set: SetState<string>;
  readonly map: MapState<string, true>;
  readonly combining: CombiningState<Pick<Item, 'token'>, string[]>;
  readonly recentBag: BagState<string>;
  readonly recentMap: MapState<string, true>;
}

type Keeps = NonNullable<KeeperSpec['keeps']>;

function keep(state: Kept, keeps: Keeps, token: string): void {
  if (keeps === 'map') state.map.put(token, true);
  else if (keeps === 'combining') state.combining.add({ token });
  else state[keeps].add(token);
}

function keepForAWhile({ recentBag, recentMap }: Kept, keeps: Keeps, token: string): void {
  if (isBag(keeps)) recentBag.add(token);
  else recentMap.put(token, true);
}

/** Whether what is forgotten is in a bag; else it is in a map, from which it is taken sooner when it is called. */
export function isBag(keeps: Keeps): boolean {
  return keeps === 'bag' || keeps === 'combining';
}

async function taken(state: Kept, keeps: Keeps, forgets: boolean): Promise<Pick<KeeperRow, 'tokens' | 'recent'>> {
  const tokens = await keptIn(state, keeps);
  state[keeps].clear();
  if (!forgets) return { tokens, recent: [] };
  const recent = isBag(keeps) ? await state.recentBag.read() : await state.recentMap.keys();
  state[isBag(keeps) ? 'recentBag' : 'recentMap'].clear();
  return { tokens, recent };
}

async function keptIn({ bag, set, map, combining }: Kept, keeps: Keeps): Promise<readonly string[]> {
  switch (keeps) {
    case 'bag':
      return bag.read();
    case 'set':
      return set.read();
    case 'map':
      return map.keys();
    case 'combining':
      return combining.read();
  }
}
