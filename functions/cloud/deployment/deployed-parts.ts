/** The parts of a deployment as they are, in our own terms; undefined where there is none. */
import type { GoogleApi, GoogleApiReader } from './google-api.ts';

export interface DeployedSubscription {
  readonly topic: string;
  readonly ackDeadlineSeconds: number;
  /** Null = nobody is pushed to. */
  readonly pushEndpoint: string | null;
  readonly deadLetter: { readonly topic: string; readonly maxDeliveryAttempts: number } | null;
}

export interface DeployedService {
  readonly uri: string;
  readonly timeoutSeconds: number;
  /** Null = no bound is set. */
  readonly maxInstances: number | null;
  readonly environment: Readonly<Record<string, string>>;
}

export interface DeployedJob {
  readonly state: string;
  readonly uri: string;
}

/** The members of each role. */
export type Policy = ReadonlyMap<string, readonly string[]>;

/** Columns by name, in capital letters as BigQuery's types are. */
export type DeployedColumns = ReadonlyMap<string, string>;

export class DeployedParts {
  readonly #api: GoogleApiReader;
  readonly #project: string;

  constructor(api: GoogleApiReader, project: string) {
    this.#api = api;
    this.#project = project;
  }

  async hasTopic(name: string): Promise<boolean> {
    return (await this.#api.get('pubsub', this.#in(`topics/${name}`))) !== undefined;
  }

  async subscription(name: string): Promise<DeployedSubscription | undefined> {
    const found = (await this.#api.get('pubsub', this.#in(`subscriptions/${name}`))) as WireSubscription | undefined;
    if (found === undefined) return undefined;
    const { topic = '', ackDeadlineSeconds = 10, pushConfig, deadLetterPolicy } = found;
    const dead = deadLetterPolicy?.deadLetterTopic;
    return {
      topic: lastPart(topic),
      ackDeadlineSeconds,
      pushEndpoint: pushConfig?.pushEndpoint || null,
      deadLetter: dead
        ? { topic: lastPart(dead), maxDeliveryAttempts: deadLetterPolicy.maxDeliveryAttempts ?? 5 }
        : null,
    };
  }

  async columns(dataset: string, table: string): Promise<DeployedColumns | undefined> {
    const found = (await this.#api.get('bigquery', this.#in(`datasets/${dataset}/tables/${table}`))) as
      | { readonly schema?: { readonly fields?: readonly { readonly name: string; readonly type: string }[] } }
      | undefined;
    if (found === undefined) return undefined;
    return new Map((found.schema?.fields ?? []).map(({ name, type }) => [name, type.toUpperCase()]));
  }

  async service(region: string, name: string): Promise<DeployedService | undefined> {
    const found = (await this.#api.get('run', this.#in(`locations/${region}/services/${name}`))) as
      | WireService
      | undefined;
    if (found === undefined) return undefined;
    const { uri = '', template = {} } = found;
    const most = template.scaling?.maxInstanceCount ?? found.scaling?.maxInstanceCount;
    const variables = template.containers?.flatMap(({ env = [] }) => env) ?? [];
    return {
      uri,
      timeoutSeconds: Number.parseFloat(template.timeout ?? '300s'),
      maxInstances: most ?? null,
      environment: Object.fromEntries(variables.map(({ name: variable, value = '' }) => [variable, value])),
    };
  }

  async job(region: string, name: string): Promise<DeployedJob | undefined> {
    const found = (await this.#api.get('scheduler', this.#in(`locations/${region}/jobs/${name}`))) as
      | { readonly state?: string; readonly httpTarget?: { readonly uri?: string } }
      | undefined;
    return found === undefined ? undefined : { state: found.state ?? '', uri: found.httpTarget?.uri ?? '' };
  }

  topicPolicy(name: string): Promise<Policy | undefined> {
    return this.#policy('pubsub', this.#in(`topics/${name}`));
  }

  subscriptionPolicy(name: string): Promise<Policy | undefined> {
    return this.#policy('pubsub', this.#in(`subscriptions/${name}`));
  }

  servicePolicy(region: string, name: string): Promise<Policy | undefined> {
    return this.#policy('run', this.#in(`locations/${region}/services/${name}`));
  }

  tablePolicy(dataset: string, table: string): Promise<Policy | undefined> {
    return this.#policy('bigquery', this.#in(`datasets/${dataset}/tables/${table}`), {});
  }

  /** @param email of a service account: who may act as it, not what it may */
  accountPolicy(email: string): Promise<Policy | undefined> {
    return this.#policy('accounts', this.#in(`serviceAccounts/${email}`), {});
  }

  repositoryPolicy(region: string, name: string): Promise<Policy | undefined> {
    return this.#policy('repositories', this.#in(`locations/${region}/repositories/${name}`));
  }

  projectPolicy(): Promise<Policy | undefined> {
    return this.#policy('projects', this.#in('').slice(0, -1), WITH_CONDITIONS);
  }

  /**
   * How much of something the project may use in a region; undefined where there is no such quota, or no bound.
   * @param service such as `run.googleapis.com` @param id of the quota, unique in the service
   */
  async quota(service: string, id: string, region: string): Promise<number | undefined> {
    const found = (await this.#api.get('quotas', this.#in(`locations/global/services/${service}/quotaInfos/${id}`))) as
      | WireQuota
      | undefined;
    // More specific ones come first.
    const applies = found?.dimensionsInfos?.find(
      ({ dimensions, applicableLocations = [] }) =>
        (dimensions?.['region'] ?? region) === region &&
        (applicableLocations.length === 0 || applicableLocations.includes(region)),
    );
    const value = Number(applies?.details?.value ?? -1);
    return value < 0 ? undefined : value;
  }

  /** @param body where Google reads the policy by POST */
  async #policy(api: GoogleApi, resource: string, body?: object): Promise<Policy | undefined> {
    const path = `${resource}:getIamPolicy`;
    const found = (await (body === undefined ? this.#api.get(api, path) : this.#api.post(api, path, body))) as
      | { readonly bindings?: readonly { readonly role: string; readonly members?: readonly string[] }[] }
      | undefined;
    if (found === undefined) return undefined;
    const policy = new Map<string, readonly string[]>();
    for (const { role, members = [] } of found.bindings ?? [])
      policy.set(role, [...(policy.get(role) ?? []), ...members]);
    return policy;
  }

  #in(path: string): string {
    return `/projects/${this.#project}/${path}`;
  }
}

/** Asked for an older form, Google gives roles under a condition another name. */
const WITH_CONDITIONS = { options: { requestedPolicyVersion: 3 } };

interface WireQuota {
  readonly dimensionsInfos?: readonly {
    readonly dimensions?: Readonly<Record<string, string>>;
    readonly applicableLocations?: readonly string[];
    /** `-1`: no bound. */
    readonly details?: { readonly value?: string };
  }[];
}

interface WireSubscription {
  readonly topic?: string;
  readonly ackDeadlineSeconds?: number;
  readonly pushConfig?: { readonly pushEndpoint?: string };
  readonly deadLetterPolicy?: { readonly deadLetterTopic?: string; readonly maxDeliveryAttempts?: number };
}

interface WireService {
  readonly uri?: string;
  readonly scaling?: { readonly maxInstanceCount?: number };
  readonly template?: {
    /** Such as `120s`. */
    readonly timeout?: string;
    readonly scaling?: { readonly maxInstanceCount?: number };
    readonly containers?: readonly {
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
    }[];
  };
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
