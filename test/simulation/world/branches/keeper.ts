/**
 * A step with state and timers beside the groupings: it keeps the tokens of a key and window until its event-time timer
 * fires, and calls each once more after some processing time. What it tells goes to a table, a row each.
 */
import type { PCollection } from '../../../../functions/model/collection.ts';
import {
  bagState,
  type BagState,
  mapState,
  type MapState,
  setState,
  type SetState,
  valueState,
} from '../../../../functions/model/state.ts';
import { emits } from '../../../../functions/model/dofn.ts';
import { eventTimer, processingTimerFamily } from '../../../../functions/model/timers.ts';
import { fixedWindows, globalWindow } from '../../../../functions/model/windows.ts';
import type { KeeperSpec } from '../../scenario.ts';
import type { Outside } from '../outside.ts';
import { type Item, keyIn } from '../tokens.ts';

/** What the step has told. */
export interface KeeperRow {
  readonly k: string;
  readonly window_start: number;
  readonly window_end: number;
  /** `kept`: by the event-time timer; `expired`: when the window was over; `called`: by a processing-time timer. */
  readonly kind: 'kept' | 'expired' | 'called';
  /** To which instant the timer was set; of `expired` the window's last. */
  readonly fired_at: number;
  /** Counts what a key and window have kept and expired. */
  readonly round: number;
  readonly tokens: readonly string[];
}

export const KEEPER = 'keeper';

export function addKeeper(items: PCollection<Item>, spec: KeeperSpec, outside: Outside): void {
  const { windows, lateness, eventDelay, processingDelay, timeSorted, keeps = 'bag', throws = 0 } = spec;
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
          round: valueState<number>(),
        },
        timers: { keep: eventTimer(), call: processingTimerFamily() },
        process({ value }, { state, timers, timestamp }) {
          if (keeps === 'map') state.map.put(value.token, true);
          else state[keeps].add(value.token);
          // A timer is set no later than its window's expiration, when it is set relative to an element.
          if (eventDelay !== undefined) timers.keep.offset(eventDelay).setRelative();
          timers.call.get(`${value.token}@${timestamp}`).offset(processingDelay).setRelative();
          // Nothing of it may stay.
          if (outside.goesWrong(value.token, throws)) throw new Error('what was asked outside went wrong');
        },
        onTimer: {
          async keep({ key, state, firedAt, output }) {
            const round = state.round.read() ?? 0;
            state.round.write(round + 1);
            output({ k: key, kind: 'kept', fired_at: firedAt, round, tokens: await taken(state, keeps) });
          },
          call({ key, tag, firedAt, output }) {
            output({ k: key, kind: 'called', fired_at: firedAt, round: 0, tokens: [String(tag)] });
          },
        },
        async onWindowExpiration({ key, state, window, output }) {
          const round = state.round.read() ?? 0;
          const tokens = await taken(state, keeps);
          if (tokens.length > 0) output({ k: key, kind: 'expired', fired_at: window.end - 1, round, tokens });
        },
      },
      { timeSorted, retry: { attempts: throws + 2, firstWait: 3_000 } },
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
      },
      key: [],
      row: (row, { window }) => ({ ...row, window_start: window.start, window_end: window.end }),
      flush: { rows: 10, every: 10_000 },
    });
}

interface Kept {
  readonly bag: BagState<string>;
  readonly set: SetState<string>;
  readonly map: MapState<string, true>;
}

async function taken(state: Kept, keeps: keyof Kept): Promise<readonly string[]> {
  const tokens = keeps === 'map' ? await state.map.keys().read() : await state[keeps].read();
  state[keeps].clear();
  return tokens;
}
