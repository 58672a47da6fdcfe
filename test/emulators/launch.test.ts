import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clearFirestore } from '../../emulators/clear-firestore.ts';
import { type Emulators, startEmulators } from '../../emulators/launch.ts';
import { probe } from '../../emulators/launch-probe.ts';

let emulators: Emulators<{ projectId: string }>;

beforeAll(async () => {
  emulators = await startEmulators({ projectId: 'demo-launch' });
});
afterAll(() => emulators?.stop());

describe('the emulators', () => {
  it('answer for the project that was asked for', async () => {
    expect(emulators.projectId).toBe('demo-launch');
    const url = `http://${emulators.pubsubHost}/v1/projects/demo-launch/topics/first`;
    const answer = await (await fetch(url, { method: 'PUT' })).json();
    expect(answer).toEqual({ name: 'projects/demo-launch/topics/first' });
  });

  it('tell child processes how to reach them', () => {
    expect(emulators.environment).toEqual({
      PUBSUB_EMULATOR_HOST: emulators.pubsubHost,
      FIRESTORE_EMULATOR_HOST: emulators.firestoreHost,
      GOOGLE_CLOUD_PROJECT: 'demo-launch',
      METADATA_SERVER_DETECTION: 'none',
    });
  });

  it('forget all documents between tests', async () => {
    const documents = `http://${emulators.firestoreHost}/v1/projects/demo-launch/databases/(default)/documents/things`;
    const body = JSON.stringify({ fields: { n: { integerValue: '1' } } });
    await fetch(`${documents}?documentId=a`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect((await fetch(`${documents}/a`)).status).toBe(200);
    await clearFirestore(emulators.firestoreHost, 'demo-launch');
    expect((await fetch(`${documents}/a`)).status).toBe(404);
  });

  it('that already run are used, and not stopped', async () => {
    const second = await startEmulators({ firestore: false, env: { ...process.env, ...emulators.environment } });
    expect(second.pubsubHost).toBe(emulators.pubsubHost);
    expect(second.firestoreHost).toBeUndefined();
    await second.stop();
    expect(await probe('pubsub', emulators.pubsubHost)).toBeUndefined();
  });

  it('that were started here are gone after stop', async () => {
    const env = { ...process.env, PUBSUB_EMULATOR_HOST: undefined };
    const own = await startEmulators({ firestore: false, env });
    expect(await probe('pubsub', own.pubsubHost)).toBeUndefined();
    await own.stop();
    expect(await probe('pubsub', own.pubsubHost)).toContain('ECONNREFUSED');
  });

  it('are blamed by variable and host when the variable leads nowhere', async () => {
    const env = { ...process.env, FIRESTORE_EMULATOR_HOST: '127.0.0.1:9' };
    await expect(startEmulators({ pubsub: false, env })).rejects.toThrow(
      /FIRESTORE_EMULATOR_HOST=127\.0\.0\.1:9 is set, but no firestore emulator answers there/,
    );
  });

  it('show their output when they do not come up', async () => {
    const env = { ...process.env, PUBSUB_EMULATOR_HOST: undefined, JDK_JAVA_OPTIONS: '--no-such-option' };
    await expect(startEmulators({ firestore: false, env })).rejects.toThrow(/Unrecognized option: --no-such-option/);
  });
});

describe('clearing Firestore', () => {
  it('says so when the host is something else', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end('nothing here'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(clearFirestore(host, 'p')).rejects.toThrow(`at ${host} did not clear p: 404 nothing here`);
    server.close();
  });
});
