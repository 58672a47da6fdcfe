/**
 * What the manifest grants, looked for where it is given: on the thing itself, and on the project. Roles that hold others,
 * and folders above the project, are not looked through, so what is missing is a warning.
 */
import type { Policy } from '../../cloud/deployment/deployed-parts.ts';
import type { Grant, GrantTarget, Member } from '../../plan/grants.ts';
import { accountName } from '../../plan/resource-names.ts';
import type { Found } from './doctor.ts';
import type { OutsideSetting } from './outside-checks.ts';

/** The kinds of things whose own policies are not read. */
const NOT_READ: ReadonlySet<GrantTarget['kind']> = new Set(['table', 'account', 'repository', 'sourceBucket']);
/** Google's own account of Pub/Sub in a project; the project's number is in its name. */
const PUB_SUB_AGENT = /^serviceAccount:service-\d+@gcp-sa-pubsub\.iam\.gserviceaccount\.com$/;

export async function checkGrants(setting: OutsideSetting): Promise<Found[]> {
  const { manifest } = setting;
  const project = await setting.parts.projectPolicy();
  const policies = new Map<string, Promise<Policy | undefined>>();
  const found: Found[] = [];
  const skipped = new Set<string>();
  for (const grant of manifest.grants) {
    const { on, role, member } = grant;
    if (isGiven(setting, project, grant)) continue;
    if (NOT_READ.has(on.kind)) {
      skipped.add(on.kind);
      continue;
    }
    const key = `${on.kind} ${on.name}`;
    if (!policies.has(key)) policies.set(key, policyOf(setting, on, project));
    if (isGiven(setting, await policies.get(key), grant)) continue;
    found.push({
      severity: 'warning',
      sentence: `${describe(setting, member)} does not have ${role} on ${on.kind} '${on.name}' (by a wider role it may): ${grant.why}`,
      remedies: ['deploy it again'],
    });
  }
  if (skipped.size > 0)
    found.push({
      severity: 'unknown',
      sentence: `not checked: what is granted on each ${[...skipped].join(', ')}, whose policies are not read`,
      remedies: [],
    });
  return found;
}

function policyOf(
  { manifest, parts, region }: OutsideSetting,
  { kind, name }: GrantTarget,
  project: Policy | undefined,
): Promise<Policy | undefined> {
  if (kind === 'topic') return parts.topicPolicy(name);
  if (kind === 'subscription') return parts.subscriptionPolicy(name);
  if (kind === 'function') return parts.servicePolicy(region, manifest.functions.find(({ id }) => id === name)!.name);
  return Promise.resolve(project);
}

function isGiven(setting: OutsideSetting, policy: Policy | undefined, { member, role }: Grant): boolean {
  return policy?.get(role)?.some((each) => isMember(setting, member, each)) ?? false;
}

function isMember(setting: OutsideSetting, member: Member, text: string): boolean {
  return member.kind === 'pubSubAgent' ? PUB_SUB_AGENT.test(text) : text === describe(setting, member);
}

/** As policies write it. */
function describe({ manifest, project }: OutsideSetting, member: Member): string {
  if (member.kind === 'pubSubAgent') return 'Pub/Sub’s own account';
  const id = member.kind === 'function' ? member.id : member.kind;
  return `serviceAccount:${accountName(manifest.pipeline, id)}@${project}.iam.gserviceaccount.com`;
}
