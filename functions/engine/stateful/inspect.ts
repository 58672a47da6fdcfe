/** Reading a cell as its author's code would. */
import type { BagState, CombiningState, MapState, SetState, ValueState } from '../../model/state.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import type { Owner } from './callbacks.ts';
import type { SetTimer } from './timer-text.ts';
import type { WindowState } from './window-state.ts';
import type { WindowStates } from './window-states.ts';

export interface InspectedTimer {
  readonly id: string;
  readonly tag?: string;
  readonly at: EpochMillis;
}

export interface InspectedWindow {
  readonly window: Window;
  /** By name: the value of a value, the result of a combining state, the elements of a bag or set, the entries of a map. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Those that lie in the cell itself, in the order of their times. */
  readonly timers: readonly InspectedTimer[];
}

export async function inspectWindows(owner: Owner, windows: WindowStates): Promise<readonly InspectedWindow[]> {
  const inspected: InspectedWindow[] = [];
  for (const state of await windows.all()) {
    const { start, end } = state;
    const read: Record<string, unknown> = {};
    await owner.moment.during(async () => {
      for (const id of Object.keys(owner.spec.states)) read[id] = await readState(owner, state, id);
    });
    inspected.push({ window: { start, end }, state: read, timers: state.timers.near().map(inspectedTimer) });
  }
  return inspected.sort((a, b) => a.window.start - b.window.start);
}

async function readState({ spec }: Owner, state: WindowState, id: string): Promise<unknown> {
  const slot: unknown = state.slot(id);
  switch (spec.states[id]!.kind) {
    case 'value':
      return (slot as ValueState<unknown>).read();
    case 'combining':
      return (slot as CombiningState<unknown, unknown>).read();
    case 'bag':
      return (slot as BagState<unknown>).read();
    case 'set':
      return (slot as SetState<never>).read();
    case 'map':
      return (slot as MapState<never, unknown>).entries().read();
  }
}

function inspectedTimer({ id, tag, at }: SetTimer): InspectedTimer {
  return { id, at, ...(tag === undefined ? {} : { tag }) };
}
