/**
 * What the functions may use at most, by their own limits, held against what the project may use in its region. Quotas are
 * common to all that runs there, so one that is only just enough may be too small; and most follow the rate of events,
 * which nothing here knows: those are named with what is known.
 */
import { NotHere } from '../../cloud/deployment/google-api.ts';
import { MillraceError } from '../../model/errors.ts';
import type { DeployedFunction } from '../../plan/deployed-functions.ts';
import type { Found } from './doctor.ts';
import type { OutsideSetting } from './outside-checks.ts';

interface Used {
  /** The quota's id in Cloud Run, per project and region. */
  readonly id: string;
  readonly what: string;
  /** Of one instance, in the quota's unit. */
  readonly of: (each: DeployedFunction) => number;
  readonly shown: (amount: number) => string;
}

const GIB = 2 ** 30;

const USED: readonly Used[] = [
  {
    id: 'CpuAllocPerProjectRegion',
    what: 'vCPUs',
    of: ({ cpu }) => cpu * 1_000,
    shown: (milli) => `${milli / 1_000}`,
  },
  {
    id: 'MemAllocPerProjectRegion',
    what: 'GiB of memory',
    of: ({ memoryMiB }) => memoryMiB * 2 ** 20,
    shown: (bytes) => `${Number((bytes / GIB).toFixed(1))}`,
  },
];

const ASK = 'ask for more in IAM & Admin > Quotas of the project';

export async function checkQuotas(setting: OutsideSetting): Promise<Found[]> {
  const found = await Promise.all(USED.map((used) => checkUsed(setting, used)));
  return [...found.flat(), notLookedAt(setting)];
}

async function checkUsed({ manifest, parts, region }: OutsideSetting, used: Used): Promise<Found[]> {
  const { id, what, of, shown } = used;
  let quota: number | undefined;
  try {
    quota = await parts.quota('run.googleapis.com', id, region);
  } catch (error) {
    if (!(error instanceof MillraceError) || error instanceof NotHere) throw error;
    const remedies = ['gcloud services enable cloudquotas.googleapis.com', 'read it in IAM & Admin > Quotas'];
    return [{ severity: 'unknown', sentence: `not checked: Cloud Run's quota of ${what}: ${error.message}`, remedies }];
  }
  if (quota === undefined) return [];
  const most = quota;
  const alone = manifest.functions.filter((each) => of(each) * each.maxInstances > most);
  if (alone.length > 0)
    return alone.map((each) => ({
      severity: 'error',
      sentence: `function '${each.name}' may have ${each.maxInstances} instances, so ${shown(of(each) * each.maxInstances)} ${what}, and the project may use ${shown(most)} in ${region}: Cloud Run refuses to deploy it`,
      remedies: ['deploy it with fewer instances: --ingest-instances', ASK],
    }));
  const all = manifest.functions.reduce((sum, each) => sum + of(each) * each.maxInstances, 0);
  if (all <= most) return [];
  return [
    {
      severity: 'warning',
      sentence: `with all their instances the functions use ${shown(all)} ${what}, and the project may use ${shown(most)} in ${region}: under load some get no more, and their messages wait`,
      remedies: [ASK, 'deploy it with fewer instances: --ingest-instances'],
    },
  ];
}

/** The rates that the plan itself names are said, to be compared by a person. */
function notLookedAt({ plan }: OutsideSetting): Found {
  const models = plan.stages.flatMap(({ id, head }) =>
    head.kind === 'enrich' ? [`'${id}' asks its model up to ${head.requestsPerMinute} times a minute`] : [],
  );
  const asked = models.length === 0 ? '' : `; ${models.join(', ')}`;
  return {
    severity: 'unknown',
    sentence: `not checked: quotas that follow the rate of events, of Pub/Sub, Firestore, BigQuery${models.length === 0 ? '' : ' and Vertex AI'}, and what of each others use${asked}`,
    remedies: ['see IAM & Admin > Quotas of the project'],
  };
}
