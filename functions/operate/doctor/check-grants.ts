/**
 * What the manifest grants, looked for where it is given: on the thing itself, and on the project. Roles that hold others,
 * and folders above the project, are not looked through, so what is missing is a warning.
 */
import type { Policy } from '../../cloud/deployment/deployed-parts.ts';
import { MillraceError } from '../../model/errors.ts';
import type { Grant, GrantTarget, Member } from '../../plan/grants.ts';
import { accountName } from '../../plan/resource-names.ts';
import type { Found } from './doctor.ts';
import type { OutsideSetting } from './outside-checks.ts';

/** Google's own account of Pub/Sub in a project; the project's number is in its name. */
const PUB_SUB_AGENT = /^serviceAccount:service-\d+@gcp-sa-pubsub\.iam\.gserviceaccount\.com$/;

export async function checkGrants(setting: OutsideSetting): Promise<Found[]> {
  const { manifest } = setting;
  const project = await setting.parts.projectPolicy();
  const policies = new Map<string, Promise<Policy | undefined>>();
  const found: Found[] = [];
  const unread = new Map<string, string>();
  for (const grant of manifest.grants) {
    const { on, role, member } = grant;
    if (isGiven(setting, project, grant)) continue;
    const key = `${on.kind} '${on.name}'`;
    if (unread.has(key)) continue;
    if (!policies.has(key)) policies.set(key, policyOf(setting, on, project));
    let policy: Policy | undefined;
    try {
      policy = await policies.get(key);
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      unread.set(key, error.message);
      continue;
    }
    if (isGiven(setting, policy, grant)) continue;
    found.push({
      severity: 'warning',
      sentence: `${describe(setting, member)} does not have ${role} on ${on.kind} '${on.name}' (by a wider role it may): ${grant.why}`,
      remedies: ['deploy it again'],
    });
  }
  for (const [thing, reason] of unread)
    found.push({
      severity: 'unknown',
      sentence: `not checked: what is granted on ${thing}, whose policy cannot be read: ${reason}`,
      remedies: [],
    });
  return found;
}

function policyOf(
  setting: OutsideSetting,
  { kind, name }: GrantTarget,
  project: Policy | undefined,
): Promise<Policy | undefined> {
  const { manifest, parts, region } = setting;
  if (kind === 'topic') return parts.topicPolicy(name);
  if (kind === 'subscription') return parts.subscriptionPolicy(name);
  if (kind === 'function') return parts.servicePolicy(region, manifest.functions.find(({ id }) => id === name)!.name);
  if (kind === 'repository') return parts.repositoryPolicy(region, manifest.imageRepository);
  if (kind === 'account') return parts.accountPolicy(emailOf(setting, name));
  if (kind === 'table') {
    const table = manifest.tables.find((each) => each.table === name)!;
    return parts.tablePolicy(table.dataset ?? manifest.dataset, table.name);
  }
  // What is narrowed by a condition is given on the project too.
  return Promise.resolve(project);
}

function isGiven(setting: OutsideSetting, policy: Policy | undefined, { member, role }: Grant): boolean {
  return policy?.get(role)?.some((each) => isMember(setting, member, each)) ?? false;
}

function isMember(setting: OutsideSetting, member: Member, text: string): boolean {
  return member.kind === 'pubSubAgent' ? PUB_SUB_AGENT.test(text) : text === describe(setting, member);
}

/** As policies write it. */
function describe(setting: OutsideSetting, member: Member): string {
  if (member.kind === 'pubSubAgent') return 'Pub/Sub’s own account';
  return `serviceAccount:${emailOf(setting, member.kind === 'function' ? member.id : member.kind)}`;
}

function emailOf({ manifest, project }: OutsideSetting, id: string): string {
  return `${accountName(manifest.pipeline, id)}@${project}.iam.gserviceaccount.com`;
}
