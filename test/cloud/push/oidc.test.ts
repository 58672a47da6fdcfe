import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type PushIdentity, PushIdentityError, pushVerifier } from '../../../functions/cloud/push/index.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import type { EpochMillis } from '../../../functions/model/time.ts';

const AUDIENCE = 'https://count-abc-uc.a.run.app';
const ACCOUNT = 'push@demo.iam.gserviceaccount.com';
const CLOUD = { K_SERVICE: 'count' };

const google = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = google.publicKey.export({ type: 'spki', format: 'pem' }).toString();

const now = Math.floor(Date.now() / 1_000);
const good = {
  iss: 'https://accounts.google.com',
  aud: AUDIENCE,
  email: ACCOUNT,
  email_verified: true,
  iat: now - 60,
  exp: now + 3_000,
};

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function token(
  claims: Record<string, unknown> = {},
  key = google.privateKey,
  header: Record<string, unknown> = {},
): string {
  const signed = `${part({ alg: 'RS256', kid: 'key-1', typ: 'JWT', ...header })}.${part({ ...good, ...claims })}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
}

function stripped(claims: Record<string, unknown> = {}): string {
  const [header, payload] = token(claims).split('.');
  return `${header}.${payload}.SIGNATURE_REMOVED_BY_GOOGLE`;
}

const clock = { now: () => (now * 1_000) as EpochMillis };
const certificates = async () => ({ 'key-1': pem });
const checked = { audiences: [AUDIENCE], accounts: [ACCOUNT], certificates };
const oidc = pushVerifier({ mode: 'oidc', ...checked }, { clock, env: CLOUD });
const iam = pushVerifier({ mode: 'iam', ...checked }, { clock, env: CLOUD });

const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } });

async function refusalOf(attempt: Promise<string>): Promise<{ status: number; message: string }> {
  const error = await attempt.then(
    (account) => new Error(`it passed as ${account}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PushIdentityError)) throw error;
  return { status: error.status, message: error.message };
}

describe('mode oidc', () => {
  it("passes the pipeline's own push identity", async () => {
    expect(await oidc(bearer(token()))).toBe(ACCOUNT);
    expect(await oidc({ headers: { authorization: `bearer ${token({ iss: 'accounts.google.com' })}` } })).toBe(ACCOUNT);
  });

  it.each([
    ['no header', {}, 401, 'push identity: the request has no Authorization header'],
    [
      'another scheme',
      { authorization: 'Basic dTpw' },
      401,
      'push identity: the Authorization header is not one Bearer token',
    ],
    ['no token', { authorization: 'Bearer ' }, 401, 'push identity: the Authorization header is not one Bearer token'],
    [
      'several headers',
      { authorization: [`Bearer ${token()}`, 'Bearer x.y.z'] },
      401,
      'push identity: the Authorization header is not one Bearer token',
    ],
    ['nonsense', { authorization: 'Bearer a.b.c' }, 401, 'push identity: the token cannot be read'],
  ])('refuses %s', async (_name, headers, status, message) => {
    expect(await refusalOf(oidc({ headers }))).toEqual({ status, message });
  });

  it.each([
    [
      'another audience',
      { aud: 'https://other.example' },
      403,
      `push identity: the token is for "https://other.example", not for ${AUDIENCE}`,
    ],
    [
      'another account',
      { email: 'eve@demo.iam.gserviceaccount.com' },
      403,
      `push identity: "eve@demo.iam.gserviceaccount.com" may not push; only ${ACCOUNT}`,
    ],
    ['an unverified account', { email_verified: false }, 403, 'push identity: the token names no verified account'],
    ['no account', { email: undefined }, 403, 'push identity: the token names no verified account'],
    [
      'another issuer',
      { iss: 'https://evil.example' },
      401,
      `push identity: the token's issuer is "https://evil.example", not Google`,
    ],
    ['an expired token', { iat: now - 8_000, exp: now - 4_000 }, 401, 'push identity: the token has expired'],
    [
      'a token of the future',
      { iat: now + 4_000, exp: now + 8_000 },
      401,
      'push identity: the token is not valid at this time',
    ],
    ['a token that lives for days', { exp: now + 300_000 }, 401, 'push identity: the token is not valid at this time'],
  ])('refuses %s', async (_name, claims, status, message) => {
    expect(await refusalOf(oidc(bearer(token(claims))))).toEqual({ status, message });
  });

  it('refuses a token that a stranger signed', async () => {
    const { status, message } = await refusalOf(oidc(bearer(token({}, stranger.privateKey))));
    expect([status, message]).toEqual([401, "push identity: the token's signature is not Google's"]);
  });

  it('refuses a token signed by a key that Google does not have', async () => {
    const { message } = await refusalOf(oidc(bearer(token({}, stranger.privateKey, { kid: 'key-2' }))));
    expect(message).toBe('push identity: the token is signed by an unknown key');
  });

  it('refuses a token that says it needs no signature', async () => {
    const unsigned = `${part({ alg: 'none', kid: 'key-1' })}.${part(good)}.`;
    expect((await refusalOf(oidc(bearer(unsigned)))).status).toBe(401);
  });

  it('refuses a token whose claims were changed after it was signed', async () => {
    const [header, , signature] = token().split('.');
    const { status } = await refusalOf(oidc(bearer(`${header}.${part({ ...good, email: 'eve@x.y' })}.${signature}`)));
    expect(status).toBe(401);
  });

  it('says that the mode is wrong when Cloud Run took the signature away', async () => {
    const { status, message } = await refusalOf(oidc(bearer(stripped())));
    expect(status).toBe(401);
    expect(message).toContain("use mode 'iam', not 'oidc'");
  });

  it('never repeats the token', async () => {
    for (const bad of [token({ aud: 'x' }), token({}, stranger.privateKey), token({ exp: now - 4_000 }), stripped()]) {
      const { message } = await refusalOf(oidc(bearer(bad)));
      for (const piece of bad.split('.')) expect(message).not.toContain(piece.slice(0, 40));
    }
  });

  it('is worth a retry while the certificates cannot be had', async () => {
    const down = async () => Promise.reject(new Error('getaddrinfo ENOTFOUND'));
    const verify = pushVerifier({ mode: 'oidc', ...checked, certificates: down }, { clock, env: CLOUD });
    const error = await verify(bearer(token())).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RetryableError);
    expect(String(error)).toContain("Google's certificates cannot be had: getaddrinfo ENOTFOUND");
  });
});

describe('mode iam', () => {
  it('passes what Cloud Run has checked, when the claims hold', async () => {
    expect(await iam(bearer(stripped()))).toBe(ACCOUNT);
  });

  it('checks the signature where it is still there', async () => {
    expect(await iam(bearer(token()))).toBe(ACCOUNT);
    expect((await refusalOf(iam(bearer(token({}, stranger.privateKey))))).status).toBe(401);
  });

  it.each([
    ['another audience', { aud: 'https://other.example' }, 403],
    ['another account', { email: 'eve@demo.iam.gserviceaccount.com' }, 403],
    ['an unverified account', { email_verified: 'true' }, 403],
    ['another issuer', { iss: 'https://evil.example' }, 401],
    ['an expired token', { exp: now - 301 }, 401],
    ['a token without expiry', { exp: undefined }, 401],
  ])('refuses %s', async (_name, claims, status) => {
    expect((await refusalOf(iam(bearer(stripped(claims))))).status).toBe(status);
  });

  it('allows for clocks that differ by five minutes', async () => {
    expect(await iam(bearer(stripped({ exp: now - 300 })))).toBe(ACCOUNT);
  });
});

describe('mode none', () => {
  it('lets anybody push where it is no cloud', async () => {
    expect(await pushVerifier({ mode: 'none' }, { clock, env: {} })({ headers: {} })).toBe('anybody');
  });

  it('cannot be made in a cloud', () => {
    expect(() => pushVerifier({ mode: 'none' }, { clock, env: CLOUD })).toThrow(
      "push identity (mode 'none'): lets anybody push and is for local use; here K_SERVICE is set. Use 'oidc' or 'iam'",
    );
  });
});

describe('an identity', () => {
  it.each<[string, PushIdentity, NodeJS.ProcessEnv, string]>([
    ['no audience', { mode: 'oidc', audiences: [], accounts: [ACCOUNT] }, CLOUD, 'audiences: name'],
    ['no account', { mode: 'oidc', audiences: [AUDIENCE], accounts: [] }, CLOUD, 'accounts: name'],
    ['no address', { mode: 'oidc', audiences: [AUDIENCE], accounts: ['push'] }, CLOUD, "got 'push'"],
    ['Cloud Run elsewhere', { mode: 'iam', audiences: [AUDIENCE], accounts: [ACCOUNT] }, {}, 'K_SERVICE is not set'],
  ])('with %s is refused when it is made', (_name, identity, env, problem) => {
    expect(() => pushVerifier(identity, { clock, env })).toThrow(problem);
  });
});
