import { Command } from 'commander';
import type { DeadLetter } from '../engine/dead-letter.ts';
import { SYSTEM_CLOCK } from '../local/system.ts';
import { ConfigurationError } from '../model/errors.ts';
import { type Cause, groupByCause } from '../operate/dead-letters/causes.ts';
import { discard, type FoundLetter, findLetters, getLetter } from '../operate/dead-letters/letters.ts';
import { requireStored } from '../operate/status/survey.ts';
import type { Target } from '../operate/target/target.ts';
import { confirm } from './confirm.ts';
import { at, readWholeNumber, table } from './format.ts';
import type { Io } from './io.ts';
import { ItemsFailed } from './items-failed.ts';
import { addFilterOptions, type FilterOptions, readFilter, requireKnownPlace } from './letter-filter.ts';
import { replayCommand } from './replay-command.ts';
import { addTargetOptions, onTarget, sameTarget, type TargetOptions } from './target-options.ts';
import { watch } from './watch.ts';

interface ListOptions extends TargetOptions, FilterOptions {
  readonly limit: string;
  readonly json?: boolean;
  readonly watch?: boolean;
}

interface DiscardOptions extends TargetOptions, FilterOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** `millrace dead-letters`: what has failed for good. */
export function deadLettersCommand(io: Io): Command {
  const command = new Command('dead-letters').description(
    'what has failed for good: list, show, export, replay, discard',
  );
  command.addCommand(listCommand(io), { isDefault: true });
  for (const each of [showCommand(io), exportCommand(io), replayCommand(io), discardCommand(io)])
    command.addCommand(each);
  return command;
}

function listCommand(io: Io): Command {
  return addFilterOptions(addTargetOptions(new Command('list').description('by cause, and the newest one by one')))
    .option('--status <status>', 'dead, replayed or discarded', 'dead')
    .option('--limit <n>', 'list at most so many one by one', '20')
    .option('--watch', 'show it again every few seconds')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  millrace dead-letters list --pipeline flights --stage delays --since 1h')
    .action((options: ListOptions) =>
      onTarget(options, async (target) => {
        const limit = readWholeNumber('--limit', options.limit, 0);
        const show = async (): Promise<void> => {
          const letters = await lettersOf(target, options);
          const newest = letters
            .slice(-limit || letters.length)
            .reverse()
            .slice(0, limit);
          const causes = groupByCause(letters);
          if (options.json)
            io.out(JSON.stringify({ pipeline: target.pipeline, total: letters.length, causes, letters: newest }));
          else {
            for (const line of describe(causes, newest, letters.length)) io.out(line);
            const [last] = newest;
            if (last !== undefined)
              for (const line of whatNow(last, sameTarget(options, target.pipeline))) io.out(line);
          }
        };
        await (options.watch ? watch(io, SYSTEM_CLOCK, show) : show());
      }),
    );
}

function showCommand(io: Io): Command {
  return addTargetOptions(new Command('show').description('one dead letter, whole').argument('<id>', 'its id'))
    .option('--json', 'print one JSON object')
    .action((id: string, options: TargetOptions & { json?: boolean }) =>
      onTarget(options, async ({ store, pipeline }) => {
        await requireStored(store, pipeline);
        const { letter } = await getLetter(store, id);
        if (options.json) io.out(JSON.stringify(letter));
        else for (const line of describeOne(letter, sameTarget(options, pipeline))) io.out(line);
      }),
    );
}

function exportCommand(io: Io): Command {
  return addFilterOptions(addTargetOptions(new Command('export').description('as JSON Lines, one whole letter a line')))
    .option('--status <status>', 'dead, replayed or discarded', 'dead')
    .addHelpText('after', '\nExample:\n  millrace dead-letters export --pipeline flights > letters.jsonl')
    .action((options: TargetOptions & FilterOptions) =>
      onTarget(options, async (target) => {
        const { store, clock, pipeline } = target;
        await requireStored(store, pipeline);
        const filter = readFilter(options, [], clock.now());
        let found = 0;
        for await (const { letter } of findLetters(store, filter)) {
          io.out(JSON.stringify(letter));
          found += 1;
        }
        if (found === 0) await requireKnownPlace(filter, target);
      }),
    );
}

function discardCommand(io: Io): Command {
  return addFilterOptions(
    addTargetOptions(
      new Command('discard').description('give up on letters; they are kept, and never replayed').argument('[ids...]'),
    ),
  )
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON object')
    .action((ids: string[], options: DiscardOptions) =>
      onTarget(options, async (target) => {
        const { store, clock, pipeline } = target;
        const filter = readFilter(options, ids, clock.now());
        if (Object.keys(filter).length === 0)
          throw new ConfigurationError('which ones? Name ids, or narrow them down, e.g. with --stage or --code');
        await requireStored(store, pipeline);
        const found: FoundLetter[] = [];
        for await (const letter of findLetters(store, filter)) found.push(letter);
        if (found.length === 0) await requireKnownPlace(filter, target);
        await confirm(io, `Discard ${found.length} dead letters of '${pipeline}'?`, options.yes);
        const outcomes: { id: string; outcome: 'discarded' | 'skipped' }[] = [];
        for (const letter of found) {
          const gone = await discard(store, letter, clock.now(), 'millrace dead-letters discard');
          outcomes.push({ id: letter.letter.id, outcome: gone ? 'discarded' : 'skipped' });
        }
        const discarded = outcomes.filter(({ outcome }) => outcome === 'discarded').length;
        const skipped = outcomes.length - discarded + missing(ids, found.length);
        if (options.json) io.out(JSON.stringify({ pipeline, discarded, outcomes }));
        else io.out(`${discarded} discarded`);
        if (skipped > 0) throw new ItemsFailed(`${skipped} of the letters are not dead any more, or were never there`);
      }),
    );
}

function missing(ids: readonly string[], found: number): number {
  return ids.length === 0 ? 0 : new Set(ids).size - found;
}

async function lettersOf(target: Target, options: FilterOptions): Promise<DeadLetter[]> {
  const { store, pipeline, clock } = target;
  const filter = readFilter(options, [], clock.now());
  await requireStored(store, pipeline);
  const letters: DeadLetter[] = [];
  for await (const { letter } of findLetters(store, filter)) letters.push(letter);
  if (letters.length === 0) await requireKnownPlace(filter, target);
  return letters;
}

function describe(causes: readonly Cause[], newest: readonly DeadLetter[], total: number): string[] {
  if (total === 0) return ['no dead letters'];
  const byCause = causes.map(({ step, kind, code, cause, letters, first, last }) => [
    letters,
    kind,
    step,
    code,
    cause,
    at(first),
    at(last),
  ]);
  const one = newest.map(({ id, step, code, message, failedAt, generation }) => [
    id,
    step,
    code,
    at(failedAt),
    generation,
    firstLine(message),
  ]);
  return [
    table(['LETTERS', 'KIND', 'STEP', 'CODE', 'CAUSE', 'FIRST', 'LAST'], byCause),
    '',
    table(['ID', 'STEP', 'CODE', 'FAILED AT', 'GENERATION', 'MESSAGE'], one),
    ...(newest.length < total ? [`… and ${total - newest.length} more`] : []),
  ];
}

/** What an operator does next. @param target the options that say where it is */
function whatNow({ id, status }: DeadLetter, target: string): string[] {
  return [
    '',
    `one of them whole:     millrace dead-letters show ${target} ${id}`,
    ...(status === 'dead' ? [`what a replay would do: millrace dead-letters replay ${target} --dry-run`] : []),
  ];
}

/** @param target the options that say where it is */
function describeOne(letter: DeadLetter, target: string): string[] {
  const { id, stack, value, answer, ended, ...rest } = letter;
  const facts = Object.entries(rest).map(([name, fact]) => {
    const isTime = ['timestamp', 'arrival', 'watermark', 'firstFailedAt', 'failedAt'].includes(name);
    return `${name}: ${isTime ? at(fact as never) : typeof fact === 'string' ? fact : JSON.stringify(fact)}`;
  });
  return [
    id,
    ...facts.map((fact) => `  ${fact}`),
    ...(ended === undefined ? [] : [`  ended: at ${at(ended.at)} by ${ended.by}`]),
    ...(answer === undefined ? [] : [`  answer: ${JSON.stringify(answer)}`]),
    `  value: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')}`,
    ...(stack === undefined ? [] : [`  ${stack.replaceAll('\n', '\n  ')}`]),
    ...(letter.status === 'dead' ? ['', `millrace dead-letters replay ${target} ${id}`] : []),
  ];
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
