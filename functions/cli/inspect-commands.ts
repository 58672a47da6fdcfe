/** `millrace state get`, `timers list`, `batches list` and `batches flush`: what is stored, and what waits. */
import { Command } from 'commander';
import { ConfigurationError } from '../model/errors.ts';
import { batchesOf } from '../operate/inspect/batches.ts';
import { stateOf } from '../operate/inspect/state.ts';
import { timersOf } from '../operate/inspect/timers.ts';
import { programsOf } from '../operate/status/programs.ts';
import { type Survey, survey } from '../operate/status/survey.ts';
import { planOf, type Target } from '../operate/target/target.ts';
import { at, readKey, readWholeNumber, table } from './format.ts';
import type { Io } from './io.ts';
import { addTargetOptions, onTarget, type TargetOptions } from './target-options.ts';

interface JsonOptions extends TargetOptions {
  readonly json?: boolean;
}

export function stateCommand(io: Io): Command {
  const get = addTargetOptions(
    new Command('get')
      .description('what a stage holds of a key')
      .argument('<stage>', 'the name of a stage')
      .argument('<key>', 'the key as JSON, or a text as it is'),
  )
    .option('--json', 'print one JSON object')
    .action((stage: string, key: string, options: JsonOptions) =>
      onTarget(options, async (target) => {
        const found = await stateOf(target.store, await surveyOf(target), stage, readKey(key), programsOf(target.plan));
        if (options.json) io.out(JSON.stringify(found));
        else {
          const { shard, hold, holders, eventDue, processingDue, state } = found;
          io.out(`${JSON.stringify(found.key)} in ${shard}`);
          io.out(
            `holds the watermark at ${at(hold)}; due at watermark ${at(eventDue)}, at the clock's ${at(processingDue)}`,
          );
          for (const holder of holders ?? []) io.out(`  ${holder.kind} ${holder.what} at ${at(holder.at)}`);
          io.out(state);
        }
      }),
    );
  return new Command('state').description('what is stored of a key').addCommand(get);
}

export function timersCommand(io: Io): Command {
  const list = addTargetOptions(
    new Command('list').description('which keys are due when').argument('<stage>', 'the name of a stage'),
  )
    .option('--limit <n>', 'at most so many', '100')
    .option('--json', 'print one JSON object')
    .action((stage: string, options: JsonOptions & { limit: string }) =>
      onTarget(options, async (target) => {
        const limit = readWholeNumber('--limit', options.limit);
        const due = await timersOf(target.store, await surveyOf(target), stage, programsOf(target.plan), limit);
        if (options.json) io.out(JSON.stringify({ stage, timers: due }));
        else if (due.length === 0) io.out(`no key of '${stage}' waits for a clock`);
        else
          io.out(
            table(
              ['DUE', 'CLOCK', 'KEY', 'SHARD'],
              due.map((key) => [at(key.at), key.clock, JSON.stringify(key.key), key.shard]),
            ),
          );
      }),
    );
  return new Command('timers').description('what waits for a clock').addCommand(list);
}

export function batchesCommand(io: Io): Command {
  const list = addTargetOptions(new Command('list').description('what waits for tables and models'))
    .option('--json', 'print one JSON object')
    .action((options: JsonOptions) =>
      onTarget(options, async (target) => {
        const batches = batchesOf(await surveyOf(target));
        if (options.json) io.out(JSON.stringify({ pipeline: target.pipeline, batches }));
        else if (batches.length === 0) io.out('nothing waits');
        else
          io.out(
            table(
              ['STAGE', 'KIND', 'STATE', 'COUNT', 'SINCE', 'UNTIL', 'REASON'],
              batches.map(({ stage, kind, state, count, since, until, reason }) => [
                stage,
                kind,
                state,
                count,
                at(since),
                at(until),
                reason ?? '',
              ]),
            ),
          );
      }),
    );
  const flush = addTargetOptions(new Command('flush').description('write and show what waits now, full or not'))
    .option('--json', 'print one JSON object')
    .action((options: JsonOptions) =>
      onTarget(options, async (target) => {
        const before = batchesOf(await surveyOf(target));
        if (target.subscriptions !== undefined)
          throw new ConfigurationError(
            `what waits in ${target.where} is written by its own functions, by size or age; only kept state (--state) is flushed from here`,
          );
        planOf(target);
        await target.settle();
        const after = batchesOf(await surveyOf(target));
        if (options.json) io.out(JSON.stringify({ pipeline: target.pipeline, before, after }));
        else io.out(`${before.length} batches waited, ${after.length} still do`);
      }),
    );
  return new Command('batches')
    .description('what waits to be written, or shown to a model')
    .addCommand(list)
    .addCommand(flush);
}

function surveyOf({ store, pipeline, clock, plan }: Target): Promise<Survey> {
  return survey(store, pipeline, clock.now(), plan);
}
