import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { defaultCredentials } from '../../functions/cloud/credentials.ts';

/** Stands for the server that tells instances in a cloud who they are. */
let metadata: Server;

beforeAll(async () => {
  metadata = createServer((_, response) => {
    response.setHeader('Metadata-Flavor', 'Google');
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ access_token: 'its-token', expires_in: 3_600, token_type: 'Bearer' }));
  });
  await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('GCE_METADATA_HOST', `127.0.0.1:${(metadata.address() as AddressInfo).port}`);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '');
  vi.stubEnv('HOME', '/nobody');
  // Else the library asks gcloud for it, where there is one.
  vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'test');
});
afterEach(() => vi.stubEnv('GOOGLE_CLOUD_QUOTA_PROJECT', ''));
afterAll(() => {
  vi.unstubAllEnvs();
  metadata.close();
});

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform.read-only';

test('a function shows its token', async () => {
  expect(await defaultCredentials(SCOPE)()).toEqual({ authorization: 'Bearer its-token' });
});

test('whoever has a project for quotas names it, since some APIs refuse people without', async () => {
  vi.stubEnv('GOOGLE_CLOUD_QUOTA_PROJECT', 'paying-project');
  expect(await defaultCredentials(SCOPE)()).toEqual({
    authorization: 'Bearer its-token',
    'x-goog-user-project': 'paying-project',
  });
});
