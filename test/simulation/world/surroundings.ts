import type { AssemblySetting } from '../../../functions/engine/assembly.ts';
import type { Plan } from '../../../functions/plan/plan.ts';
import type { Scenario } from '../scenario.ts';
import type { Faults } from './faults.ts';
import type { Instance } from './instance.ts';
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

/** What those parts of a world share that start instances. */
export interface Hosting {
  readonly around: Surroundings;
  readonly plan: Plan;
  /** Starts an instance that is named by its kind. */
  readonly start: (kind: string) => Instance;
  readonly settingOf: (instance: Instance) => AssemblySetting;
  /** Called with errors that the engine should not have let out. */
  readonly breaks: (error: unknown) => void;
}
