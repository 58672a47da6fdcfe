import { Command } from 'commander';
import { SYSTEM_CLOCK } from '../local/system.ts';
import { HALF } from '../operate/pause.ts';
import { programsOf } from '../operate/status/programs.ts';
import { type PipelineStatus, type StageStatus, statusOf } from '../operate/status/status.ts';
import { drainOf, pausesOf } from '../operate/status/standing-orders.ts';
import { type Survey, survey } from '../operate/status/survey.ts';
import { at, span, table } from './format.ts';
import type { Io } from './io.ts';
import { addTargetOptions, onTarget, type TargetOptions } from './target-options.ts';
import { watch } from './watch.ts';

interface StatusOptions extends TargetOptions {
  readonly json?: boolean;
  readonly watch?: boolean;
}

/** `millrace status`: every source and stage at a glance. */
export function statusCommand(io: Io): Command {
  return addTargetOptions(
    new Command('status').description(
      "a pipeline's sources and stages: watermarks, backlog, cells, holds, dead letters, and what they have counted",
    ),
  )
    .option('--watch', 'show it again every few seconds')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  millrace status --pipeline flights --project my-project --watch')
    .action((options: StatusOptions) =>
      onTarget(options, async (target) => {
        const show = async (): Promise<void> => {
          const { store, pipeline, clock, plan } = target;
          const surveyed = await survey(store, pipeline, clock.now(), plan);
          const status = await statusOf(store, surveyed, programsOf(plan));
          if (options.json) io.out(JSON.stringify(status));
          else for (const line of [...describe(status), ...describeOrders(surveyed)]) io.out(line);
        };
        await (options.watch ? watch(io, SYSTEM_CLOCK, show) : show());
      }),
    );
}

function describe(status: PipelineStatus): string[] {
  const { pipeline, topology, epoch, lastSweep, sources, stages, deadLetters, lateRecords, drainingSince, now } =
    status;
  const swept = lastSweep === null ? 'never swept' : `last sweep ${span(now - lastSweep)} ago`;
  return [
    `${pipeline}: topology ${topology ?? 'not noted'}, epoch ${epoch ?? 'not noted'}, ${swept}, ${deadLetters} dead letters, ${lateRecords} late records${drainingSince === null ? '' : `, draining since ${at(drainingSince)}`}`,
    '',
    table(
      ['SOURCE', 'WATERMARK', 'LAG', 'READERS', 'LAST READ', 'DEAD'],
      sources.map(({ id, watermark, lag, roots, lastRead, deadLetters: dead }) => [
        id,
        at(watermark),
        span(lag),
        roots,
        at(lastRead),
        dead,
      ]),
    ),
    '',
    table(
      ['STAGE', 'KIND', 'INPUT', 'OUTPUT', 'LAG', 'BACKLOG', 'OLDEST', 'CELLS', 'DUE', 'HELD', 'WAITING', 'DEAD'],
      stages.map((stage) => [
        stage.id,
        stage.kind,
        at(stage.inputWatermark),
        at(stage.outputWatermark),
        span(stage.lag),
        stage.backlog.envelopes,
        stage.backlog.oldest === null ? '-' : span(now - stage.backlog.oldest),
        stage.cells,
        stage.due,
        held(stage),
        waiting(stage),
        stage.deadLetters,
      ]),
    ),
    '',
    table(
      ['COUNTED', 'ELEMENTS', 'REPEATED', 'TOO LATE', 'FAILED', 'EARLY PANES', 'ON TIME', 'LATE PANES'],
      stages.map(({ id, counts }) => [
        id,
        counts.elements,
        counts.duplicates,
        counts.late,
        counts.deadLetters,
        counts.panes.EARLY,
        counts.panes.ON_TIME,
        counts.panes.LATE,
      ]),
    ),
  ];
}

/** What operators have ordered, and what to type next. */
function describeOrders(surveyed: Survey): string[] {
  const orders = [...pausesOf(surveyed), ...drainOf(surveyed)];
  return orders.flatMap(({ sentence, remedies }) => ['', sentence, ...remedies.map((remedy) => `  - ${remedy}`)]);
}

function held({ holds }: StageStatus): string {
  if (holds.earliest === null) return '-';
  return `${holds.count} from ${at(holds.earliest)}${holds.key === null ? '' : ` by ${holds.key}`}`;
}

function waiting({ parked, rows, pausedSince, pauseStep }: StageStatus): string {
  if (pausedSince !== null) return pauseStep === null ? 'paused' : HALF[pauseStep];
  if (rows !== null) return `${rows.waiting} rows${rows.flushing ? ', flushing' : ''}`;
  return parked === 0 ? '-' : `${parked} elements`;
}
