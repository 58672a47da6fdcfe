/**
 * Makes a failing scenario smaller while it fails in the same way: fewer faults, fewer records, fewer stages, a plainer
 * world. What is left is what matters.
 */
import { type Outcome, runScenario } from './run.ts';
import type { RecordSpec, Scenario, SourceSpec, StageSpec } from './scenario.ts';
import { FAULT_KINDS } from './world/faults.ts';

export interface Shrinking {
  /** How many smaller scenarios may be tried. */
  readonly tries: number;
  /** How a scenario is run; default `runScenario`. */
  readonly run?: (scenario: Scenario) => Promise<Outcome>;
}

export async function shrink(scenario: Scenario, rule: string, options: Shrinking): Promise<Scenario> {
  return new Shrinker(scenario, rule, options).run();
}

class Shrinker {
  #best: Scenario;
  readonly #rule: string;
  readonly #run: (scenario: Scenario) => Promise<Outcome>;
  #tries: number;

  constructor(scenario: Scenario, rule: string, { tries, run = runScenario }: Shrinking) {
    this.#best = scenario;
    this.#rule = rule;
    this.#run = run;
    this.#tries = tries;
  }

  async run(): Promise<Scenario> {
    for (let size = Number.POSITIVE_INFINITY; sizeOf(this.#best) < size && this.#tries > 0; ) {
      size = sizeOf(this.#best);
      await this.#fewerFaults();
      await this.#fewer(this.#best.records, (records) => ({ ...this.#best, records }));
      await this.#fewer(this.#best.pipeline.stages, (stages) => withStages(this.#best, stages));
      for (const simpler of SIMPLER) await this.#accept({ ...this.#best, ...simpler(this.#best) });
      await this.#simplerStages();
    }
    return this.#best;
  }

  /** Leaves out what happened until every single fault that is left is needed. */
  async #fewerFaults(): Promise<void> {
    const { happened } = await this.#run(this.#best);
    // Naming all that happened changes nothing, but makes the scenario longer to write; each one less is a gain from there.
    const named = { ...this.#best, onlyFaults: happened };
    if (await this.#failsAlike(named)) this.#best = named;
    await this.#fewer(happened, (onlyFaults) => ({ ...this.#best, onlyFaults }));
  }

  async #simplerStages(): Promise<void> {
    for (let i = 0; i < this.#best.pipeline.stages.length; i++)
      for (const plainer of plainerStages(this.#best.pipeline.stages[i]!))
        await this.#accept(
          withStages(this.#best, this.#best.pipeline.stages.with(i, { ...this.#best.pipeline.stages[i]!, ...plainer })),
        );
  }

  /** Leaves out parts of a list, halves first, then ever smaller ones. */
  async #fewer<T>(items: readonly T[], scenarioOf: (items: readonly T[]) => Scenario): Promise<void> {
    let left = items;
    for (let length = Math.ceil(left.length / 2); length >= 1; length = length === 1 ? 0 : Math.ceil(length / 2))
      for (let from = 0; from < left.length; ) {
        const fewer = [...left.slice(0, from), ...left.slice(from + length)];
        if (await this.#accept(scenarioOf(fewer))) left = fewer;
        else from += length;
      }
  }

  async #accept(candidate: Scenario): Promise<boolean> {
    if (this.#tries <= 0 || sizeOf(candidate) >= sizeOf(this.#best)) return false;
    this.#tries -= 1;
    if (!(await this.#failsAlike(candidate))) return false;
    this.#best = candidate;
    return true;
  }

  async #failsAlike(scenario: Scenario): Promise<boolean> {
    try {
      return (await this.#run(scenario)).problem?.rule === this.#rule;
    } catch {
      // Not every part of a pipeline is a pipeline.
      return false;
    }
  }
}

function withStages(scenario: Scenario, stages: readonly StageSpec[]): Scenario {
  return { ...scenario, pipeline: { ...scenario.pipeline, stages } };
}

/** How much there is to understand. A table less counts for more than the word that says so. */
function sizeOf(scenario: Scenario): number {
  const tables = scenario.pipeline.stages.filter(({ readsLate, keepsNewest }) => readsLate || keepsNewest);
  return JSON.stringify(scenario).length + 20 * tables.length;
}

/** Steps towards a plainer world. */
const SIMPLER: readonly ((scenario: Scenario) => Partial<Scenario>)[] = [
  () => ({ afresh: undefined }),
  ({ pipeline: { shards }, afresh }) => (afresh === undefined ? {} : { afresh: { shards, slots: 1, reshaped: false } }),
  ({ world }) => ({ world: { ...world, slots: 1 } }),
  ({ world }) => ({ world: { ...world, services: 'one' } }),
  ({ world }) => ({ world: { ...world, strictStore: false } }),
  ({ pipeline }) => ({ pipeline: { ...pipeline, shards: 1 } }),
  () => ({ faults: {} }),
  ({ pipeline: { sources, stages, shards } }) => ({ pipeline: { sources, stages, shards } }),
  ({ pipeline, records }) => ({
    pipeline: { ...pipeline, sources: unsplit(pipeline.sources) },
    records: inOneSplit(records),
  }),
  ({ pipeline, records }) => ({
    pipeline: { ...pipeline, sources: unsplit(pipeline.sources).slice(0, 1) },
    // What one source may publish again, another would count twice.
    records: inOneSplit(records).map(({ publishedAgain: _, ...record }) => ({ ...record, source: 0 })),
  }),
  ...Object.keys(FAULT_KINDS).map((kind) => ({ faults }: Scenario) => ({
    faults: Object.fromEntries(Object.entries(faults).filter(([other]) => other !== kind)),
  })),
];

function unsplit(sources: readonly SourceSpec[]): SourceSpec[] {
  return sources.map((source) => (source.kind === 'splits' ? { ...source, splits: 1 } : source));
}

function inOneSplit(records: readonly RecordSpec[]): RecordSpec[] {
  return records.map((record) => ({ ...record, split: 0 }));
}

function plainerStages(spec: StageSpec): Partial<StageSpec>[] {
  return [
    { trigger: { kind: 'default' } },
    { trigger: { kind: 'never' } },
    { windows: { kind: 'global' } },
    { timestamps: 'latest' },
    { keys: 1 },
    { lateness: 0 },
    { flushEvery: 1 },
    { flushRows: 1 },
    { accumulating: true },
    { emptyOnTime: true },
    { emptyLast: true },
    { lifted: true },
    { readsLate: false },
    { keepsNewest: false },
  ].filter((plainer) => spec.windows !== undefined || !('windows' in plainer)) as Partial<StageSpec>[];
}
