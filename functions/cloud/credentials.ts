/**
 * Application Default Credentials, as the headers of a request by `fetch`. Beside the token they name the project whose quota
 * is used, where the credentials have one: a person's do, and some APIs (Cloud Quotas, Vertex AI …) answer them 403 without it.
 */

export type Credentials = () => Promise<Readonly<Record<string, string>>>;

/**
 * The library is loaded, and credentials are looked for, with the first call; it keeps the token until it is about to expire.
 * @param scope what may be done with the token, as a URL of Google's
 */
export function defaultCredentials(scope: string): Credentials {
  let opened: Promise<{ getRequestHeaders(): Promise<Headers> }> | undefined;
  return async () => {
    opened ??= import('./clients/google-auth.ts').then(({ GoogleAuth }) => new GoogleAuth({ scopes: scope }));
    return Object.fromEntries(await (await opened).getRequestHeaders());
  };
}
