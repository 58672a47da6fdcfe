/**
 * Where the emulators' programs lie on a disk. Invariant: nothing is started and nothing is written here; each look
 * returns what it found or undefined, and says in `looked` where it looked, so that an error can repeat it.
 *
 * Both emulators are Java programs. They are run as `java …` directly: `gcloud … emulators start` and `firebase` put a
 * Python or Node process (seconds of start-up, and one more process to leave behind) before the same jar.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

export type EmulatorName = 'pubsub' | 'firestore';
export type Environment = Readonly<Record<string, string | undefined>>;

/** An emulator's program: what goes to `java` before `--host` and `--port`. */
export interface EmulatorProgram {
  readonly javaArguments: readonly string[];
  /** For people: whose copy it is and where it lies. */
  readonly from: string;
}

const FIRESTORE_MAIN = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
/** The Firestore emulator's rules messages exist in English only; other locales make it crash. */
const ENGLISH = '-Duser.language=en';

/** The program of gcloud's component, in the first Cloud SDK that has it. */
export function gcloudProgram(name: EmulatorName, env: Environment, looked: string[]): EmulatorProgram | undefined {
  for (const root of cloudSdkRoots(env)) {
    const component = join(root, 'platform', name === 'pubsub' ? 'pubsub-emulator/lib' : 'cloud-firestore-emulator');
    looked.push(component);
    const pattern = name === 'pubsub' ? /^cloud-pubsub-emulator-(.+)-all\.jar$/ : /^cloud-firestore-emulator()\.jar$/;
    const jar = newest(component, pattern);
    if (jar === undefined) continue;
    const from = `gcloud's component at ${jar}`;
    if (name === 'pubsub') return { javaArguments: ['-jar', jar], from };
    return { javaArguments: [ENGLISH, '-cp', jar, FIRESTORE_MAIN, 'start'], from };
  }
  return undefined;
}

/** The program that firebase-tools downloaded, newest version first. */
export function firebaseProgram(name: EmulatorName, env: Environment, looked: string[]): EmulatorProgram | undefined {
  const cache = env.FIREBASE_EMULATORS_PATH ?? join(env.HOME ?? homedir(), '.cache/firebase/emulators');
  looked.push(cache);
  if (name === 'firestore') {
    const jar = newest(cache, /^cloud-firestore-emulator-v(.+)\.jar$/);
    return jar ? { javaArguments: [ENGLISH, '-jar', jar], from: `firebase-tools' download at ${jar}` } : undefined;
  }
  const unpacked = newest(cache, /^pubsub-emulator-([\d.]+)$/);
  const jar = unpacked && newest(join(unpacked, 'pubsub-emulator/lib'), /^cloud-pubsub-emulator-(.+)-all\.jar$/);
  return jar ? { javaArguments: ['-jar', jar], from: `firebase-tools' download at ${jar}` } : undefined;
}

/** The `java` to run: JAVA_HOME's, else the first one on the PATH. */
export function findJava(env: Environment): string | undefined {
  const home = env.JAVA_HOME;
  if (home !== undefined && existsSync(join(home, 'bin/java'))) return join(home, 'bin/java');
  return onPath('java', env);
}

/** Roots of Cloud SDKs: named by the environment, else the one whose `gcloud` is on the PATH, else the installer's default. */
function cloudSdkRoots(env: Environment): string[] {
  const named = [env.CLOUDSDK_ROOT, env.CLOUDSDK_ROOT_DIR].filter((root) => root !== undefined);
  const gcloud = onPath('gcloud', env);
  const ofGcloud = gcloud === undefined ? [] : [dirname(dirname(realpathSync(gcloud)))];
  return [...new Set([...named, ...ofGcloud, join(env.HOME ?? homedir(), 'google-cloud-sdk')])];
}

function onPath(program: string, env: Environment): string | undefined {
  const directories = (env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.map((directory) => join(directory, program)).find((path) => existsSync(path));
}

/** The entry of a folder that matches and whose captured version is the greatest (1.19 is newer than 1.9). */
function newest(folder: string, pattern: RegExp): string | undefined {
  if (!existsSync(folder)) return undefined;
  const matches = readdirSync(folder).flatMap((entry) => {
    const version = pattern.exec(entry)?.[1];
    return version === undefined ? [] : [{ entry, version }];
  });
  matches.sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }));
  return matches[0] && join(folder, matches[0].entry);
}
