/** The functions and the sweep's job, held against the manifest. */
import type { DeployedFunction } from '../../plan/deployed-functions.ts';
import { MANIFEST_VARIABLES } from '../../plan/environment.ts';
import type { Found } from './doctor.ts';
import type { OutsideSetting } from './outside-checks.ts';

const DEPLOY = 'deploy it again';

export async function checkFunctions(setting: OutsideSetting): Promise<Found[]> {
  return (await Promise.all(setting.manifest.functions.map((each) => checkFunction(setting, each)))).flat();
}

async function checkFunction(
  { manifest, parts, region, survey }: OutsideSetting,
  expected: DeployedFunction,
): Promise<Found[]> {
  const { id, name, timeoutSeconds, maxInstances, environment } = expected;
  const there = await parts.service(region, name);
  const error = (sentence: string): Found => ({
    severity: 'error',
    sentence: `function '${name}' ${sentence}`,
    remedies: [DEPLOY],
  });
  if (there === undefined) return [error(`is not there in ${region}; what is pushed to it waits`)];
  const found: Found[] = [];
  const deadlines = manifest.subscriptions
    .filter(({ push }) => push?.function === id)
    .map(({ ackDeadlineSeconds }) => ackDeadlineSeconds);
  const deadline = Math.min(...deadlines);
  if (there.timeoutSeconds >= deadline)
    found.push(
      error(
        `may work for ${there.timeoutSeconds} s, and Pub/Sub delivers again after ${deadline} s: two would work on one message`,
      ),
    );
  else if (there.timeoutSeconds < timeoutSeconds)
    found.push(error(`is cut off after ${there.timeoutSeconds} s, not ${timeoutSeconds} s`));
  if (expected.role === 'stage' && there.maxInstances !== maxInstances)
    found.push(
      error(
        `may have ${there.maxInstances ?? 'any number of'} instances, not ${maxInstances}: those of one slot hinder each other`,
      ),
    );
  const { topology = 1, epoch = 1 } = survey.topology ?? {};
  for (const [variable, value] of [
    [MANIFEST_VARIABLES.topology, String(topology)],
    [MANIFEST_VARIABLES.epoch, String(epoch)],
  ] as const) {
    const is = there.environment[variable] ?? '1';
    if (is !== value)
      found.push(error(`is of ${variable}=${is}, and ${value} was admitted last: it takes no work that others have`));
  }
  for (const variable of [MANIFEST_VARIABLES.serves, MANIFEST_VARIABLES.shards, MANIFEST_VARIABLES.slots]) {
    const is = there.environment[variable];
    if (is !== environment[variable])
      found.push(error(`has ${variable}=${is ?? 'nothing'}, and the code at hand means ${environment[variable]}`));
  }
  return found;
}

export async function checkSweepJob({ manifest, parts, region }: OutsideSetting): Promise<Found[]> {
  const { name } = manifest.functions.find(({ id }) => id === manifest.sweep.function)!;
  const job = await parts.job(region, name);
  const error = (sentence: string, remedy: string): Found[] => [
    { severity: 'error', sentence: `Cloud Scheduler’s job '${name}' ${sentence}`, remedies: [remedy] },
  ];
  if (job === undefined) return error(`is not there in ${region}: an idle pipeline’s watermarks stand`, DEPLOY);
  if (job.state !== 'ENABLED')
    return error(`is ${job.state}: an idle pipeline’s watermarks stand`, `gcloud scheduler jobs resume ${name}`);
  if (!job.uri.endsWith(manifest.sweep.path)) return error(`calls ${job.uri}, not ${manifest.sweep.path}`, DEPLOY);
  return [];
}
