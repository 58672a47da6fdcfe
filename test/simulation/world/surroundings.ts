import type { Scenario } from '../scenario.ts';
import type { Faults } from './faults.ts';
import type { Scheduler } from './scheduler.ts';

/** What every part of a world shares. */
export interface Surroundings {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  /** Adds a line to the story of the run; `line` is called only when somebody listens. */
  readonly tell: (line: () => string) => void;
}
