import { Command } from 'commander';
import { programsOf } from '../operate/status/programs.ts';
import { moment } from '../operate/status/status.ts';
import { survey } from '../operate/status/survey.ts';
import { furthestBehind, type Why, why } from '../operate/status/why.ts';
import { at } from './format.ts';
import type { Io } from './io.ts';
import { addTargetOptions, onTarget, type TargetOptions } from './target-options.ts';

interface WhyOptions extends TargetOptions {
  readonly json?: boolean;
}

/** `millrace why STAGE`: what holds a stage's watermark. */
export function whyCommand(io: Io): Command {
  return addTargetOptions(
    new Command('why')
      .description("what holds a stage's watermark, wherever upstream it is")
      .argument('[stage]', 'the name of a stage (default: the one furthest behind)'),
  )
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  millrace why departures --pipeline flights --project my-project')
    .action((stage: string | undefined, options: WhyOptions) =>
      onTarget(options, async ({ store, pipeline, clock, plan }) => {
        const surveyed = await survey(store, pipeline, clock.now(), plan);
        const found = await why(store, surveyed, stage ?? furthestBehind(surveyed), programsOf(plan));
        if (options.json) io.out(JSON.stringify(asJson(found)));
        else for (const line of describe(found)) io.out(line);
      }),
    );
}

function asJson({ outputWatermark, culprit, ...rest }: Why): unknown {
  return { ...rest, outputWatermark: moment(outputWatermark), culprit: { ...culprit, at: moment(culprit.at) } };
}

function describe({ stage, outputWatermark, path, culprit }: Why): string[] {
  const since = culprit.since === undefined ? '' : `, since ${at(culprit.since)}`;
  return [
    `'${stage}' stands at ${at(outputWatermark)}${path.length > 1 ? `, behind ${path.slice(1).join(', behind ')}` : ''}`,
    `${culprit.sentence}${culprit.kind === 'nothing' ? '' : ` (at ${at(culprit.at)}${since})`}`,
  ];
}
