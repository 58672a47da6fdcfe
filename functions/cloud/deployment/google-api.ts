/**
 * Google's REST APIs, read only: what of a deployment is there, and how it is set. Each request is made once, and waits ten
 * seconds at most.
 */
import { ConfigurationError, messageOf, RetryableError } from '../../model/errors.ts';
import { defaultCredentials } from '../credentials.ts';

/** The APIs that are asked, with Google's own addresses. */
export const GOOGLE_APIS = {
  pubsub: 'https://pubsub.googleapis.com/v1',
  bigquery: 'https://bigquery.googleapis.com/bigquery/v2',
  run: 'https://run.googleapis.com/v2',
  firestore: 'https://firestore.googleapis.com/v1',
  scheduler: 'https://cloudscheduler.googleapis.com/v1',
  projects: 'https://cloudresourcemanager.googleapis.com/v1',
  accounts: 'https://iam.googleapis.com/v1',
  repositories: 'https://artifactregistry.googleapis.com/v1',
  quotas: 'https://cloudquotas.googleapis.com/v1',
} as const;
export type GoogleApi = keyof typeof GOOGLE_APIS;

export interface GoogleApiSetting {
  /** What stands in an API's place: an emulator, which is shown no credentials. */
  readonly endpoints?: Readonly<Partial<Record<GoogleApi, string>>>;
  /** Where a name without an address in `endpoints` leads. Default: Google's own. `none` = nowhere. */
  readonly others?: 'google' | 'none';
}

/** Nobody stands in for an API here. */
export class NotHere extends ConfigurationError {
  override readonly code = 'NOT_HERE';
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform.read-only';
const TIMEOUT = 10_000;

export class GoogleApiReader {
  readonly #setting: GoogleApiSetting;
  readonly #credentials = defaultCredentials(SCOPE);

  constructor(setting: GoogleApiSetting = {}) {
    this.#setting = setting;
  }

  /** Whether an API can be asked at all. */
  has(api: GoogleApi): boolean {
    return this.#setting.endpoints?.[api] !== undefined || this.#setting.others !== 'none';
  }

  /**
   * @returns the resource; undefined where there is none
   * @throws {ConfigurationError} when it may not be read
   * @throws {RetryableError} when the API cannot be asked now
   */
  get(api: GoogleApi, path: string): Promise<unknown> {
    return this.#ask(api, path, 'GET', undefined);
  }

  /** For what Google reads by POST, such as policies. As `get`. */
  post(api: GoogleApi, path: string, body: object = {}): Promise<unknown> {
    return this.#ask(api, path, 'POST', JSON.stringify(body));
  }

  async #ask(api: GoogleApi, path: string, method: 'GET' | 'POST', body: string | undefined): Promise<unknown> {
    if (!this.has(api)) throw new NotHere(`there is nothing here that stands in for ${new URL(GOOGLE_APIS[api]).host}`);
    const own = this.#setting.endpoints?.[api];
    const url = `${own ?? GOOGLE_APIS[api]}${path}`;
    const { host } = new URL(url);
    let response: Response;
    let text: string;
    try {
      const headers = own === undefined ? await this.#credentials() : {};
      response = await fetch(url, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        signal: AbortSignal.timeout(TIMEOUT),
        ...(body === undefined ? {} : { body }),
      });
      text = await response.text();
    } catch (cause) {
      throw new RetryableError(`${host} cannot be asked: ${reasonOf(cause)}`, { cause });
    }
    if (response.ok) return JSON.parse(text || '{}');
    if (response.status === 404) return undefined;
    const problem = `${host} answered ${response.status} to ${method} ${path}: ${errorOf(text)}`;
    if (response.status === 401 || response.status === 403)
      throw new ConfigurationError(`${problem}; who asks needs a role that may read it, such as roles/viewer`);
    throw new RetryableError(problem);
  }
}

function errorOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: string } };
    return error?.message ?? text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}

/** `fetch` hides the reason in the cause. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
}
