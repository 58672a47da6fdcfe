import { Presets, SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { ConfigurationError } from '../model/errors.ts';
import { type CarriedOn, LocalRun, type LocalRunOptions, type RunSummary } from '../local/local-run.ts';
import { isSnapshot, loadSnapshot, saveSnapshot } from '../local/snapshot.ts';
import { SYSTEM_CLOCK } from '../local/system.ts';
import type { DeadLetter } from '../engine/dead-letter.ts';
import type { Graph } from '../model/graph.ts';
import { groupByCause } from '../operate/dead-letters/causes.ts';
import { startAfresh } from '../operate/fresh-start.ts';
import { admit } from '../operate/upgrade.ts';
import { warningsOf } from '../plan/warnings.ts';
import { counted } from './format.ts';
import type { Io } from './io.ts';
import { loadLocalModel, loadPipeline } from './load-pipeline.ts';
import { makeFolder, writeResults } from './write-results.ts';

interface RunOptions {
  readonly input?: ReadonlyMap<string, string>;
  readonly out?: string;
  readonly state?: string;
  readonly json?: boolean;
  readonly shards?: string;
}

/** How many causes of dead letters a run tells of. */
const CAUSES = 3;

/** `millrace run`: a pipeline on this machine, from files to tables. */
export function runCommand(io: Io): Command {
  return new Command('run')
    .description('run a pipeline on this machine, from files to tables')
    .argument('<pipeline>', 'a name in functions/pipelines, or the path of a module that exports a pipeline')
    .option(
      '--input <source=file>',
      'the file that a source reads: .jsonl, .csv (each also as .gz), .json or .parquet (repeatable)',
      addInput,
    )
    .option('--out <dir>', 'where to write <table>.jsonl, late.jsonl and dead-letters.jsonl')
    .option(
      '--state <dir>',
      'where to keep the state of the run, for status, why, dead-letters and their like; what is there of a run that came to its end starts afresh: its tables are kept, and new panes are newer',
    )
    .option('--json', 'print one JSON object at the end')
    .option(
      '--shards <n>',
      'shards of a stage (the rows are the same for any number; a pane of late elements may be called on time or late)',
    )
    .addHelpText('after', '\nExample:\n  millrace run flights --input flights=flights.jsonl --out out')
    .action(async (pipeline: string, options: RunOptions) => {
      const graph = await loadPipeline(pipeline);
      const bar = io.isTerminal
        ? new SingleBar(
            { format: '{value} events | {duration_formatted}', clearOnComplete: true, noTTYOutput: false },
            Presets.shades_classic,
          )
        : undefined;
      const shards = options.shards === undefined ? {} : { shards: wholeNumber('--shards', options.shards) };
      if (options.out !== undefined) await makeFolder(options.out);
      const localModel = await loadLocalModel(pipeline);
      const setting: LocalRunOptions = {
        inputs: options.input ?? new Map(),
        ...shards,
        ...(localModel === undefined ? {} : { localModel }),
        ...(bar === undefined ? {} : { progress: (records) => bar.update(records) }),
      };
      const from = options.state === undefined ? undefined : await carriedOn(options.state, graph, setting);
      const run = new LocalRun(graph, from === undefined ? setting : { ...setting, from });
      for (const warning of warningsOf(run.plan)) io.err(`warning: ${warning}`);
      bar?.start(Number.MAX_SAFE_INTEGER, 0);
      let summary: RunSummary;
      try {
        summary = await run.run();
      } finally {
        bar?.stop();
      }
      if (options.out !== undefined) await writeResults(options.out, run);
      if (options.state !== undefined) await keepState(options.state, graph, run);
      if (options.json) io.out(JSON.stringify(summary));
      else for (const line of describe(summary, await run.deadLetters(), options, pipeline)) io.out(line);
    });
}

function addInput(value: string, inputs: Map<string, string> = new Map()): Map<string, string> {
  const at = value.indexOf('=');
  if (at < 1 || at === value.length - 1) throw new ConfigurationError(`--input: expected source=file, got '${value}'`);
  // Names have dashes; on a command line an underscore is as good.
  const source = value.slice(0, at).replaceAll('_', '-');
  if (inputs.has(source)) throw new ConfigurationError(`--input: source '${source}' is given twice`);
  return new Map(inputs).set(source, value.slice(at + 1));
}

/**
 * What an earlier run has left, started afresh; undefined = nothing.
 * @throws {ConfigurationError} when it is of another pipeline, or did not come to its end
 */
async function carriedOn(directory: string, graph: Graph, setting: LocalRunOptions): Promise<CarriedOn | undefined> {
  if (!isSnapshot(directory)) return undefined;
  const { note, store, warehouse } = await loadSnapshot(directory);
  if (note.pipeline !== graph.name)
    throw new ConfigurationError(
      `--state: '${directory}' holds the state of pipeline '${note.pipeline}'; name another directory, or remove it`,
    );
  const { topology, epoch } = await startAfresh(store, new LocalRun(graph, setting).plan, SYSTEM_CLOCK.now());
  return { store, warehouse, topology, epoch };
}

async function keepState(directory: string, { name }: Graph, run: LocalRun): Promise<void> {
  const { store, warehouse, clock, plan } = run;
  await admit(store, plan, clock.now());
  await saveSnapshot(directory, { note: { form: 1, pipeline: name, at: clock.now() }, store, warehouse });
}

function wholeNumber(flag: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new ConfigurationError(`${flag}: expected a whole number, got '${text}'`);
  return Number(text);
}

/** Why elements became dead letters, the most frequent reasons first. */
function causes(letters: readonly DeadLetter[]): string[] {
  const found = groupByCause(letters.filter(({ kind }) => kind !== 'late'));
  const examples = new Map(letters.map(({ id, message }) => [id, message.split('\n')[0]!.slice(0, 200)]));
  return [
    ...found
      .slice(0, CAUSES)
      .map(({ letters: count, step, code, example }) => `  ${count} × '${step}' ${code}: ${examples.get(example)}`),
    ...(found.length > CAUSES ? [`  … and ${found.length - CAUSES} more causes`] : []),
  ];
}

function describe(
  summary: RunSummary,
  letters: readonly DeadLetter[],
  { out, state }: RunOptions,
  module: string,
): string[] {
  const { pipeline, events, panes, late, deadLettered, seconds, eventsPerSecond } = summary;
  return [
    `${pipeline}: ${counted(events, 'event')} in ${seconds} s (${eventsPerSecond} a second)`,
    `panes: ${panes.EARLY} early, ${panes.ON_TIME} on time, ${panes.LATE} late`,
    `late records: ${late}, dead letters: ${deadLettered}`,
    ...causes(letters),
    ...(deadLettered === 0
      ? []
      : [
          state === undefined
            ? 'to look at the dead letters and replay them, run with --state DIR'
            : `look at the dead letters with: millrace dead-letters list --pipeline ${module} --state ${state}`,
        ]),
    out === undefined ? 'nothing was written; add --out DIR to keep the tables' : `tables are in ${out}`,
  ];
}
