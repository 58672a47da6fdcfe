/** Draws triggers that a grouping admits. */
import { millis } from '../../../functions/model/time.ts';
import type { Trigger } from '../../../functions/model/triggers.ts';
import type { WindowsSpec } from '../scenario.ts';
import type { Random } from '../world/random.ts';

export function drawTrigger(random: Random, lateness: number, windows: WindowsSpec | undefined): Trigger {
  switch (
    random.pick(['default', 'afterWatermark', 'afterWatermark', 'repeatedly', 'orFinally', 'afterEach', 'never'])
  ) {
    case 'afterWatermark': {
      const early = random.chance(0.6) ? { early: drawOnce(random) } : {};
      const late = lateness > 0 || random.chance(0.5) ? { late: drawOnce(random) } : {};
      return { kind: 'afterWatermark', ...early, ...late };
    }
    case 'repeatedly':
      return { kind: 'repeatedly', trigger: drawOnce(random) };
    case 'orFinally':
      return {
        kind: 'repeatedly',
        trigger: { kind: 'orFinally', trigger: drawOnce(random), until: { kind: 'afterWatermark' } },
      };
    case 'afterEach':
      return { kind: 'repeatedly', trigger: { kind: 'afterEach', triggers: [drawOnce(random), drawOnce(random)] } };
    case 'never':
      return { kind: 'never' };
    default:
      // An unbounded collection in the global window would never emit by it.
      return windows?.kind === 'global' ? { kind: 'never' } : { kind: 'default' };
  }
}

/** A trigger that fires once and may be repeated. */
function drawOnce(random: Random): Trigger {
  switch (random.pick(['count', 'count', 'delay', 'first', 'all'])) {
    case 'delay':
      return { kind: 'afterProcessingTime', delay: millis('delay', random.pick([0, 1_000, 10_000])) };
    case 'first':
      return {
        kind: 'repeatedly',
        trigger: { kind: 'afterFirst', triggers: [drawOnce(random), { kind: 'afterCount', count: 3 }] },
      };
    case 'all':
      return {
        kind: 'repeatedly',
        trigger: { kind: 'afterAll', triggers: [drawOnce(random), { kind: 'afterCount', count: 2 }] },
      };
    default:
      return { kind: 'afterCount', count: random.pick([1, 1, 2, 3]) };
  }
}
