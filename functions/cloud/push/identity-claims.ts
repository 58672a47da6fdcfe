/** Who a token says it is for and from, held against who may push. */
import { MillraceError } from '../../model/errors.ts';

/** A request that does not come from the pipeline's own push identity. It must not be processed, nor acknowledged. */
export class PushIdentityError extends MillraceError {
  readonly code = 'PUSH_IDENTITY';
  /** To answer with: 401 when there is no valid token, 403 when a valid token is somebody else's. */
  readonly status: 401 | 403;

  constructor(status: 401 | 403, problem: string) {
    super(`push identity: ${problem}`);
    this.status = status;
  }
}

export interface AllowedIdentity {
  /** What the push subscription's `audience` is set to: the service's URL, without a path. One of these must be named. */
  readonly audiences: readonly string[];
  /** The service accounts that may call: the push subscriptions', and the scheduler's for sweeps. */
  readonly accounts: readonly string[];
}

export interface TokenClaims {
  readonly iss?: unknown;
  readonly aud?: unknown;
  readonly exp?: unknown;
  readonly email?: unknown;
  readonly email_verified?: unknown;
}

export const ISSUERS: readonly string[] = ['https://accounts.google.com', 'accounts.google.com'];
/** Clocks differ; the same allowance as google-auth-library's. */
const CLOCK_SKEW_SECONDS = 300;

/**
 * The account that the claims name.
 * @param nowMillis undefined when the expiry was checked already
 * @throws {PushIdentityError} when a claim does not hold
 */
export function checkClaims(claims: TokenClaims, allowed: AllowedIdentity, nowMillis: number | undefined): string {
  if (typeof claims.iss !== 'string' || !ISSUERS.includes(claims.iss)) {
    throw new PushIdentityError(401, `the token's issuer is ${shown(claims.iss)}, not Google`);
  }
  if (nowMillis !== undefined) {
    if (typeof claims.exp !== 'number') throw new PushIdentityError(401, 'the token does not say when it expires');
    if (nowMillis > (claims.exp + CLOCK_SKEW_SECONDS) * 1_000)
      throw new PushIdentityError(401, 'the token has expired');
  }
  if (typeof claims.aud !== 'string' || !allowed.audiences.includes(claims.aud)) {
    throw new PushIdentityError(
      403,
      `the token is for ${shown(claims.aud)}, not for ${allowed.audiences.join(' or ')}`,
    );
  }
  if (typeof claims.email !== 'string' || claims.email_verified !== true) {
    throw new PushIdentityError(403, 'the token names no verified account');
  }
  if (!allowed.accounts.includes(claims.email)) {
    throw new PushIdentityError(403, `${shown(claims.email)} may not push; only ${allowed.accounts.join(', ')}`);
  }
  return claims.email;
}

function shown(value: unknown): string {
  return value === undefined ? 'nobody' : JSON.stringify(value).slice(0, 120);
}
