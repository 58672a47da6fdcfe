import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findEmulators } from '../../emulators/discover.ts';

let disk: string;

beforeEach(() => {
  disk = mkdtempSync(join(tmpdir(), 'discover-'));
});
afterEach(() => rmSync(disk, { recursive: true }));

function file(path: string): string {
  const whole = join(disk, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, '');
  return whole;
}

/** An environment that sees nothing of this machine. */
function environment(more: Record<string, string> = {}) {
  return { HOME: join(disk, 'home'), PATH: join(disk, 'bin'), ...more };
}

describe('finding the emulators', () => {
  it('prefers one that already runs, and takes the scheme off its host', () => {
    file('sdk/platform/pubsub-emulator/lib/cloud-pubsub-emulator-0.8.20-all.jar');
    const found = findEmulators(
      environment({ CLOUDSDK_ROOT: join(disk, 'sdk'), PUBSUB_EMULATOR_HOST: 'http://localhost:8085/' }),
    );
    expect(found.pubsub).toEqual({ kind: 'running', host: 'localhost:8085', from: 'PUBSUB_EMULATOR_HOST' });
  });

  it("finds gcloud's components behind the link that is on the PATH", () => {
    const java = file('bin/java');
    const gcloud = file('opt/sdk/bin/gcloud');
    symlinkSync(gcloud, join(disk, 'bin/gcloud'));
    const pubsub = file('opt/sdk/platform/pubsub-emulator/lib/cloud-pubsub-emulator-0.8.20-all.jar');
    const firestore = file('opt/sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar');

    const found = findEmulators(environment());

    expect(found.pubsub).toMatchObject({ kind: 'installed', java, program: { javaArguments: ['-jar', pubsub] } });
    expect(found.firestore).toMatchObject({
      kind: 'installed',
      program: {
        javaArguments: [
          '-Duser.language=en',
          '-cp',
          firestore,
          'com.google.cloud.datastore.emulator.firestore.CloudFirestore',
          'start',
        ],
      },
    });
  });

  it("falls back to firebase-tools' downloads and takes the newest, comparing versions as numbers", () => {
    file('bin/java');
    file('home/.cache/firebase/emulators/cloud-firestore-emulator-v1.9.2.jar');
    const firestore = file('home/.cache/firebase/emulators/cloud-firestore-emulator-v1.19.8.jar');
    file('home/.cache/firebase/emulators/pubsub-emulator-0.8.14.zip');
    const pubsub = file(
      'home/.cache/firebase/emulators/pubsub-emulator-0.8.14/pubsub-emulator/lib/cloud-pubsub-emulator-0.8.14-all.jar',
    );

    const found = findEmulators(environment());

    expect(found.firestore).toMatchObject({ program: { javaArguments: ['-Duser.language=en', '-jar', firestore] } });
    expect(found.pubsub).toMatchObject({ program: { javaArguments: ['-jar', pubsub] } });
  });

  it('says where it looked and how to get what is missing', () => {
    const { firestore, pubsub } = findEmulators(environment({ FIREBASE_EMULATORS_PATH: join(disk, 'jars') }));
    if (firestore.kind !== 'missing' || pubsub.kind !== 'missing') throw new Error('something was found');
    expect(firestore.reason).toContain(join(disk, 'jars'));
    expect(firestore.reason).toContain(join(disk, 'home/google-cloud-sdk/platform/cloud-firestore-emulator'));
    expect(firestore.reason).toContain('gcloud components install cloud-firestore-emulator');
    expect(firestore.reason).toContain('apt-get install google-cloud-cli-firestore-emulator');
    expect(firestore.reason).toContain('npx firebase-tools setup:emulators:firestore');
    expect(firestore.reason).toContain('FIRESTORE_EMULATOR_HOST=host:port');
    expect(pubsub.reason).toContain('gcloud components install pubsub-emulator');
    expect(pubsub.reason).toContain('apt-get install google-cloud-cli-pubsub-emulator');
  });

  it('says that Java is missing when only Java is', () => {
    file('sdk/platform/pubsub-emulator/lib/cloud-pubsub-emulator-0.8.20-all.jar');
    const { pubsub } = findEmulators(environment({ CLOUDSDK_ROOT: join(disk, 'sdk') }));
    expect(pubsub).toMatchObject({ kind: 'missing', reason: expect.stringContaining('needs Java 17 or newer') });
  });
});
