import { Command } from 'commander';
import { ConfigurationError } from '../model/errors.ts';
import { describeOrders, holdOrders } from '../operate/deploy/orders-after.ts';
import { countsOf, runningCounts } from '../operate/running-counts.ts';
import { survey } from '../operate/status/survey.ts';
import { subscriptionsOf, type Target } from '../operate/target/target.ts';
import { admit } from '../operate/upgrade.ts';
import { type Plan, type PlanOptions, plan } from '../plan/plan.ts';
import { storedShape } from '../plan/stored-shape.ts';
import { readWholeNumber } from './format.ts';
import type { Io } from './io.ts';
import { ItemsFailed } from './items-failed.ts';
import { loadPipeline } from './load-pipeline.ts';
import { addTargetOptions, onTarget, type TargetOptions } from './target-options.ts';

interface AdmitOptions extends TargetOptions {
  readonly shards?: string;
  readonly slots?: string;
  readonly json?: boolean;
  readonly numbers?: boolean;
  readonly draining?: boolean;
  readonly deployed?: boolean;
}

/**
 * `millrace admit`: what `npm run deploy` does before traffic moves, for those who deploy by other means. A version that fits
 * what is stored is noted beside it; the same one once more changes nothing; a drained pipeline starts afresh. And what it does
 * at its end, with `--deployed`: what operators have ordered holds again.
 */
export function admitCommand(io: Io): Command {
  return addTargetOptions(
    new Command('admit').description(
      'check that the version of the code at hand fits what is stored, and note it, before it is deployed',
    ),
  )
    .option('--shards <n>', 'as it will be planned: shards of a stage (default: as many as it has)')
    .option('--slots <n>', 'as it will be planned: slots of a stage (default: as many as it has)')
    .option('--draining', 'also while it drains, which goes on: to mend what keeps it from its end')
    .option('--json', 'print one JSON object')
    .option('--deployed', 'at the end of a deployment instead: stop again what is paused, or drains since it began')
    .option('--numbers', 'print the numbers of topology and epoch only, as scripts want them')
    .addHelpText('after', '\nExample:\n  millrace admit --pipeline flights --project my-project')
    .action((options: AdmitOptions) => {
      if (options.state !== undefined)
        throw new ConfigurationError('--state: a run on kept state admits its version by itself');
      if (options.deployed) return onTarget(options, (target) => deployed(io, target, options));
      return onTarget(options, async ({ store, pipeline, clock }) => {
        const module = options.pipeline ?? process.env['MILLRACE_PIPELINE'] ?? pipeline;
        const planned = plan(await loadPipeline(module), { ...(await runningCounts(store)), ...givenCounts(options) });
        const { draining = false } = options;
        const { topology, epoch } = await admit(store, planned, clock.now(), { draining });
        if (options.json) io.out(JSON.stringify({ pipeline, topology, epoch }));
        else if (options.numbers) io.out(`${topology} ${epoch}`);
        else
          io.out(
            `'${pipeline}' is admitted as topology ${topology}, epoch ${epoch}; deploy it as that: millrace plan ${module} --tfvars --topology ${topology} --epoch ${epoch}${countsIn(planned)}`,
          );
      });
    });
}

async function deployed(io: Io, target: Target, { json, draining }: AdmitOptions): Promise<void> {
  const { store, pipeline, clock, plan } = target;
  const { shape } = await survey(store, pipeline, clock.now(), plan);
  const orders = await holdOrders(store, subscriptionsOf(target), clock, shape);
  if (json) io.out(JSON.stringify({ pipeline, ...orders }));
  else for (const line of describeOrders(pipeline, orders)) io.out(line);
  if (orders.drainingSince !== null && !draining) throw new ItemsFailed(`'${pipeline}' is deployed, and reads nothing`);
}

function givenCounts({ shards, slots }: AdmitOptions): PlanOptions {
  return {
    ...(shards === undefined ? {} : { shards: readWholeNumber('--shards', shards) }),
    ...(slots === undefined ? {} : { slots: readWholeNumber('--slots', slots) }),
  };
}

/** The options by which it is planned so again. */
function countsIn(planned: Plan): string {
  const { shards, slots } = countsOf(storedShape(planned).stages);
  return ` --shards ${shards} --slots ${slots}`;
}
