/**
 * Who may push. Invariant: a verifier that lets a request pass has checked issuer, expiry, audience and account of its
 * token, and its signature, either here or by Cloud Run before; or it was made for a machine that is no cloud.
 * No error repeats the token.
 */
import type { OAuth2Client } from 'google-auth-library';
import type { Clock } from '../../ports/clock.ts';
import { ConfigurationErrors, messageOf, RetryableError } from '../../model/errors.ts';
import { type AllowedIdentity, checkClaims, ISSUERS, PushIdentityError, type TokenClaims } from './identity-claims.ts';

/** Google's certificates in PEM, by key id. */
export type CertificateSource = () => Promise<Readonly<Record<string, string>>>;

export type PushIdentity =
  /**
   * The signature is checked here. For services that let unauthenticated requests through to the code, and outside
   * Cloud Run.
   */
  | ({ readonly mode: 'oidc'; readonly certificates?: CertificateSource } & AllowedIdentity)
  /**
   * The signature was checked by Cloud Run, which lets only holders of `run.invoker` pass and hands their token on with
   * its signature replaced by `SIGNATURE_REMOVED_BY_GOOGLE`, so that it cannot be checked again; the claims are. Only
   * as safe as the service's IAM policy: it must not be open to `allUsers`. Refused outside Cloud Run.
   */
  | ({ readonly mode: 'iam'; readonly certificates?: CertificateSource } & AllowedIdentity)
  /** Anybody may push: emulators and tests. Refused in a cloud. */
  | { readonly mode: 'none' };

/** As much of a request as is looked at; header names in lower case. */
export interface IdentifiedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Resolves with the account that pushes, or `'anybody'` in the local mode.
 * @throws {PushIdentityError} when the request must be refused, with the status to answer
 * @throws {RetryableError} when Google's certificates cannot be had now; answer 503
 */
export type PushVerifier = (request: IdentifiedRequest) => Promise<string>;

type Checked = Extract<PushIdentity, { mode: 'oidc' | 'iam' }>;

const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]*)$/i;
const SIGNATURE_REMOVED = 'SIGNATURE_REMOVED_BY_GOOGLE';
/** Set by Cloud Run, and so in every function of generation 2. */
const CLOUD_VARIABLE = 'K_SERVICE';

/**
 * @throws {ConfigurationErrors} with everything that is wrong with the identity for this environment
 * @example
 * const verify = pushVerifier({ mode: 'oidc', audiences: [url], accounts: ['push@p.iam.gserviceaccount.com'] }, { clock });
 * await verify(request);
 */
export function pushVerifier(
  identity: PushIdentity,
  { clock, env = process.env }: { readonly clock: Pick<Clock, 'now'>; readonly env?: NodeJS.ProcessEnv },
): PushVerifier {
  const problems = problemsOf(identity, env[CLOUD_VARIABLE] !== undefined);
  if (problems.length > 0) throw new ConfigurationErrors(problems);
  if (identity.mode === 'none') return async () => 'anybody';
  const signed = signatureVerifier(identity);
  return async (request) => {
    const token = tokenOf(request);
    const removed = identity.mode === 'iam' && token.endsWith(`.${SIGNATURE_REMOVED}`);
    return removed ? checkClaims(claimsOf(token), identity, clock.now()) : signed(token);
  };
}

function problemsOf(identity: PushIdentity, inCloud: boolean): string[] {
  const at = `push identity (mode '${identity.mode}')`;
  if (identity.mode === 'none') {
    return inCloud
      ? [`${at}: lets anybody push and is for local use; here ${CLOUD_VARIABLE} is set. Use 'oidc' or 'iam'`]
      : [];
  }
  const problems: string[] = [];
  if (identity.audiences.length === 0) problems.push(`${at}.audiences: name the push subscription's audience`);
  if (identity.accounts.length === 0) problems.push(`${at}.accounts: name the push service account`);
  for (const account of identity.accounts) {
    if (!account.includes('@')) problems.push(`${at}.accounts: expected an e-mail address, got '${account}'`);
  }
  if (identity.mode === 'iam' && !inCloud) {
    problems.push(
      `${at}: rests on Cloud Run's own check, but ${CLOUD_VARIABLE} is not set. Use 'oidc', or 'none' locally`,
    );
  }
  return problems;
}

function tokenOf({ headers }: IdentifiedRequest): string {
  const header = headers.authorization;
  if (header === undefined) throw new PushIdentityError(401, 'the request has no Authorization header');
  const token = typeof header === 'string' ? BEARER.exec(header)?.[1] : undefined;
  if (token === undefined) throw new PushIdentityError(401, 'the Authorization header is not one Bearer token');
  return token;
}

function claimsOf(token: string): TokenClaims {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    if (typeof claims === 'object' && claims !== null) return claims;
  } catch {
    // falls through: told below, without the token
  }
  throw new PushIdentityError(401, 'the token cannot be read');
}

/** Checks signature and expiry by google-auth-library, and the claims. The library is loaded with the first token. */
function signatureVerifier(identity: Checked): (token: string) => Promise<string> {
  const client = once(async () => new (await import('../clients/google-auth.ts')).OAuth2Client());
  const certificates = identity.certificates ?? googleCertificates(client);
  return async (token) => {
    const [verifier, known] = await Promise.all([client(), certificates().catch(unavailable)]);
    const ticket = await verifier
      .verifySignedJwtWithCertsAsync(token, known, [...identity.audiences], [...ISSUERS])
      .catch((error: unknown) => {
        throw refusal(error, token, identity);
      });
    return checkClaims(ticket.getPayload() ?? {}, identity, undefined);
  };
}

/** The client keeps the certificates as long as Google's answer says; requests that come meanwhile share one call. */
function googleCertificates(client: () => Promise<OAuth2Client>): CertificateSource {
  let underWay: Promise<Readonly<Record<string, string>>> | undefined;
  const fetched = async () => (await (await client()).getFederatedSignonCertsAsync()).certs as Record<string, string>;
  return () => {
    underWay ??= fetched().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

function unavailable(error: unknown): never {
  throw new RetryableError(`push identity: Google's certificates cannot be had: ${messageOf(error)}`, { cause: error });
}

/** The library's messages repeat the token, so they are told apart here and not passed on. */
function refusal(error: unknown, token: string, identity: Checked): PushIdentityError {
  const text = messageOf(error);
  if (token.endsWith(`.${SIGNATURE_REMOVED}`)) {
    return new PushIdentityError(
      401,
      `Cloud Run has taken the token's signature away; use mode 'iam', not '${identity.mode}'`,
    );
  }
  if (/used too late/.test(text)) return new PushIdentityError(401, 'the token has expired');
  if (/used too early|too far in future/.test(text))
    return new PushIdentityError(401, 'the token is not valid at this time');
  if (/Invalid issuer|Wrong recipient/.test(text)) {
    checkClaims(claimsOf(token), identity, undefined); // throws, naming the claim
  }
  if (/signature/i.test(text)) return new PushIdentityError(401, "the token's signature is not Google's");
  if (/No pem found/.test(text)) return new PushIdentityError(401, 'the token is signed by an unknown key');
  return new PushIdentityError(401, 'the token cannot be read');
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
