/** `millrace pause`, `resume`, `drain`, `restart` and `doctor`. */
import { Command, Option } from 'commander';
import { type Duration, millis } from '../model/time.ts';
import { type Diagnosis, examine } from '../operate/doctor/doctor.ts';
import { SHAPES } from '../plan/deployed-functions.ts';
import { deliveredSources, describeProgress, drain } from '../operate/drain.ts';
import { startAfresh } from '../operate/fresh-start.ts';
import { pause, resume } from '../operate/pause.ts';
import { requireStored, stageOf, type Survey, survey } from '../operate/status/survey.ts';
import { type DeployedAs, planOf, subscriptionsOf } from '../operate/target/target.ts';
import { type DrainEnd, untilDrained } from '../operate/until-drained.ts';
import { confirm } from './confirm.ts';
import { at } from './format.ts';
import type { Io } from './io.ts';
import { ItemsFailed } from './items-failed.ts';
import { addTargetOptions, onTarget, sameTarget, type TargetOptions } from './target-options.ts';

interface ChangeOptions extends TargetOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
}

interface DrainCommandOptions extends ChangeOptions {
  readonly untilClosed?: string;
  readonly reading: string;
  readonly timeout: string;
}

export function pauseCommand(io: Io): Command {
  return changing(
    new Command('pause').description('deliver nothing to a stage; what comes waits, and goes late nowhere'),
  )
    .argument('<stage>', 'the name of a stage')
    .action((stage: string, options: ChangeOptions) =>
      onTarget(options, async (target) => {
        const { store, pipeline, clock, plan, where } = target;
        stageOf(await survey(store, pipeline, clock.now(), plan), stage);
        const subscriptions = subscriptionsOf(target);
        await confirm(io, `Pause '${stage}' of '${pipeline}' in ${where}?`, options.yes);
        await pause(store, subscriptions, clock, stage);
        io.out(
          options.json
            ? JSON.stringify({ pipeline, stage, paused: true })
            : `'${stage}' is paused; go on with: millrace resume ${stage} ${sameTarget(options, pipeline)}`,
        );
      }),
    );
}

export function resumeCommand(io: Io): Command {
  return addTargetOptions(
    new Command('resume').description('deliver to a paused stage again').argument('<stage>', 'the name of a stage'),
  )
    .option('--json', 'print one JSON object')
    .action((stage: string, options: ChangeOptions) =>
      onTarget(options, async (target) => {
        const { store, pipeline, clock, plan } = target;
        const surveyed = await survey(store, pipeline, clock.now(), plan);
        // One that a later version has no more can be forgotten.
        if (surveyed.paused[stage] === undefined) stageOf(surveyed, stage);
        await resume(store, subscriptionsOf(target), stage);
        io.out(options.json ? JSON.stringify({ pipeline, stage, paused: false }) : `'${stage}' goes on`);
      }),
    );
}

export function drainCommand(io: Io): Command {
  return changing(
    new Command('drain').description('read no more, close every window, write what waits; then it can be replaced'),
  )
    .option(
      '--until-closed <duration>',
      'let open windows close by the clock, for so long at most, e.g. 2h (default: as it was ordered before, else at once; 0s hurries)',
    )
    .option('--reading <duration>', 'what is being read may be committed for so long; longer than any request', '2m')
    .option('--timeout <duration>', 'wait so long for it to be drained; giving up here stops nothing', '30m')
    .action((options: DrainCommandOptions) =>
      onTarget(options, async (target) => {
        const { store, pipeline, clock, plan, where } = target;
        const timeout = millis('--timeout', options.timeout as Duration);
        const reading = millis('--reading', options.reading as Duration);
        const untilClosed =
          options.untilClosed === undefined
            ? {}
            : { untilClosed: millis('--until-closed', options.untilClosed as Duration) };
        const { shape, paused } = await survey(store, pipeline, clock.now(), plan);
        const subscriptions = subscriptionsOf(target);
        await confirm(io, `Drain '${pipeline}' in ${where}? It reads nothing from then on.`, options.yes);
        const order = await drain(store, subscriptions, clock, deliveredSources(shape), { reading, ...untilClosed });
        const { readingEnds, closingEnds } = order;
        const closing = closingEnds === undefined ? '' : `, by the clock until ${at(closingEnds)} at the latest`;
        if (!options.json)
          io.out(`'${pipeline}' reads no more; its windows close from ${at(readingEnds)} on${closing}`);
        for (const stage of Object.keys(paused))
          io.err(`'${stage}' is paused, and the drain waits for it; let it go on with: millrace resume ${stage}`);
        const look = (): Promise<Survey> => survey(store, pipeline, clock.now(), plan);
        const ended = await untilDrained(look, clock, timeout, (progress) => {
          if (!options.json) io.out(describeProgress(progress));
        });
        report(io, pipeline, ended, options.json);
      }),
    );
}

export function restartCommand(io: Io): Command {
  return changing(
    new Command('restart').description(
      'start a drained pipeline afresh, before it is deployed again; a deployment does so by itself',
    ),
  ).action((options: ChangeOptions) =>
    onTarget(options, async (target) => {
      const { store, pipeline, clock, where } = target;
      subscriptionsOf(target);
      await requireStored(store, pipeline);
      const planned = planOf(target);
      await confirm(
        io,
        `Start '${pipeline}' in ${where} afresh? What runs now takes nothing from then on.`,
        options.yes,
      );
      const { topology, epoch } = await startAfresh(store, planned, clock.now());
      io.out(
        options.json
          ? JSON.stringify({ pipeline, topology, epoch })
          : `'${pipeline}' begins epoch ${epoch} with topology ${topology}; deploy it now, as it is here`,
      );
    }),
  );
}

export function doctorCommand(io: Io): Command {
  return addTargetOptions(
    new Command('doctor').description('what is wrong with a pipeline, or about to be, and what to do'),
  )
    .option('--region <name>', 'where it is deployed', 'us-central1')
    .addOption(new Option('--shape <shape>', 'as it was deployed (default: as it is found)').choices(SHAPES))
    .option('--json', 'print one JSON object')
    .action((options: TargetOptions & DeployedAs & { readonly json?: boolean }) =>
      onTarget(options, async ({ store, pipeline, clock, plan, outside }) => {
        const surveyed = await survey(store, pipeline, clock.now(), plan);
        const checks = (await outside?.(surveyed, options)) ?? [];
        const diagnoses = await examine({ store, survey: surveyed, plan, outside: checks });
        if (plan === undefined) diagnoses.push(NO_CODE);
        if (options.json) io.out(JSON.stringify({ pipeline, diagnoses }));
        else for (const line of diagnoses.flatMap(lines)) io.out(line);
        const errors = diagnoses.filter(({ severity }) => severity === 'error').length;
        if (errors > 0) throw new ItemsFailed(`${errors} of the checks have found an error`);
      }),
    );
}

const NO_CODE: Diagnosis = {
  check: 'code',
  severity: 'unknown',
  sentence: 'what is deployed was held against nothing, since the pipeline’s code is not at hand',
  remedies: ['name its module with --pipeline'],
};

function changing(command: Command): Command {
  return addTargetOptions(command).option('--yes', 'do not ask').option('--json', 'print one JSON object');
}

function report(io: Io, pipeline: string, ended: DrainEnd, json: boolean | undefined): void {
  const { progress, startedAfresh } = ended;
  const next =
    startedAfresh === null ? 'deploying it again starts it afresh' : `epoch ${startedAfresh} has begun since`;
  if (json) io.out(JSON.stringify({ pipeline, ...progress }));
  else io.out(progress.drained ? `'${pipeline}' is drained; ${next}` : describeProgress(progress));
  if (!progress.drained)
    throw new ItemsFailed(
      `'${pipeline}' is not drained yet, and goes on draining; see what holds it with: millrace ${progress.open[0] === undefined ? 'status' : `why ${progress.open[0]}`}`,
    );
}

function lines({ check, severity, sentence, remedies }: Diagnosis): string[] {
  return [`${severity.padEnd(8)}${check}: ${sentence}`, ...remedies.map((remedy) => `          - ${remedy}`)];
}
