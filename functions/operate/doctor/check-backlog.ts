/**
 * The samples that the watermarks of sources rest on. Without them a watermark stands still, and nothing else shows why: no
 * call fails, since Cloud Monitoring just has nothing to say.
 */
import { NotHere } from '../../cloud/deployment/google-api.ts';
import type { Plan, PlannedSource } from '../../plan/plan.ts';
import type { Found } from './doctor.ts';
import type { OutsideSetting } from './outside-checks.ts';

export async function checkBacklog({ plan, backlog }: OutsideSetting): Promise<Found[]> {
  if (backlog === undefined) throw new NotHere('there is nothing here that stands in for monitoring.googleapis.com');
  const found = await Promise.all(
    waitingForSamples(plan).map(async ({ id }): Promise<Found[]> => {
      if ((await backlog.sample(id)) !== undefined) return [];
      return [
        {
          severity: 'warning',
          sentence: `Cloud Monitoring has no sample of the last ten minutes of the backlog of source '${id}', so its watermark stands still`,
          remedies: [
            'a new subscription has its first samples after some minutes; of one without messages there may be none for long',
            `boundedOutOfOrderness(…, { maxLag }) at source '${id}' bounds how far its watermark is behind the clock`,
          ],
        },
      ];
    }),
  );
  return found.flat();
}

/** Those whose watermark moves by a sample alone. */
function waitingForSamples({ sources }: Plan): PlannedSource[] {
  return sources.filter(({ reader, node }) => {
    const { watermark } = node.source;
    return reader === 'messages' && watermark.kind === 'boundedOutOfOrderness' && watermark.maxLag === undefined;
  });
}
