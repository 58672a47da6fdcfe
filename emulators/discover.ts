/**
 * What emulators there are to use, and if not, why not. The order: one that already runs (its host variable is set),
 * gcloud's component, firebase-tools' download. Nothing is started here.
 */
import {
  type EmulatorName,
  type EmulatorProgram,
  type Environment,
  findJava,
  firebaseProgram,
  gcloudProgram,
} from './discover-jars.ts';

export type { EmulatorName, Environment } from './discover-jars.ts';

/** The variable by which Google's clients are sent to an emulator. */
export const HOST_VARIABLE: Readonly<Record<EmulatorName, string>> = {
  pubsub: 'PUBSUB_EMULATOR_HOST',
  firestore: 'FIRESTORE_EMULATOR_HOST',
};

export type FoundEmulator =
  /** Somebody else's, running: it is used and never stopped. */
  | { readonly kind: 'running'; readonly host: string; readonly from: string }
  /** It can be started. */
  | { readonly kind: 'installed'; readonly java: string; readonly program: EmulatorProgram; readonly from: string }
  /** It is not there; `reason` says where was looked and how to get it. */
  | { readonly kind: 'missing'; readonly reason: string };

const TITLE: Readonly<Record<EmulatorName, string>> = { pubsub: 'Pub/Sub', firestore: 'Firestore' };
const COMPONENT: Readonly<Record<EmulatorName, string>> = {
  pubsub: 'pubsub-emulator',
  firestore: 'cloud-firestore-emulator',
};

/**
 * Looks for both emulators.
 * @example const { firestore } = findEmulators(); if (firestore.kind === 'missing') console.log(firestore.reason);
 */
export function findEmulators(env: Environment = process.env): Readonly<Record<EmulatorName, FoundEmulator>> {
  return { pubsub: findEmulator('pubsub', env), firestore: findEmulator('firestore', env) };
}

export function findEmulator(name: EmulatorName, env: Environment = process.env): FoundEmulator {
  const variable = HOST_VARIABLE[name];
  const host = env[variable]?.replace(/^https?:\/\//, '').replace(/\/$/, '');
  if (host) return { kind: 'running', host, from: variable };

  const looked: string[] = [];
  const program = gcloudProgram(name, env, looked) ?? firebaseProgram(name, env, looked);
  if (program === undefined) return { kind: 'missing', reason: notInstalled(name, looked) };
  const java = findJava(env);
  if (java === undefined) {
    return {
      kind: 'missing',
      reason: `The ${TITLE[name]} emulator is installed (${program.from}) but needs Java 17 or newer, and there is no java in JAVA_HOME or on the PATH.`,
    };
  }
  return { kind: 'installed', java, program, from: program.from };
}

function notInstalled(name: EmulatorName, looked: readonly string[]): string {
  return [
    `The ${TITLE[name]} emulator was not found (looked in ${looked.join(', ')}). To get it, one of:`,
    `  gcloud components install ${COMPONENT[name]}   (or, where gcloud came by apt: apt-get install google-cloud-cli-${COMPONENT[name].replace('cloud-', '')})`,
    `  npx firebase-tools setup:emulators:${name}`,
    `  ${HOST_VARIABLE[name]}=host:port   if one is already running`,
  ].join('\n');
}
