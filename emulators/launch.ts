/**
 * Starts the Pub/Sub and Firestore emulators, or uses those that run. Invariant: what this process started ends with
 * it, whatever ends it (launch-process.ts); what it did not start, it never stops.
 */
import { ConfigurationError } from '../functions/model/errors.ts';
import { type EmulatorName, type Environment, type FoundEmulator, findEmulator, HOST_VARIABLE } from './discover.ts';
import { freePort, probe, probeUntilReady } from './launch-probe.ts';
import { type GuardedProcess, startProcess } from './launch-process.ts';

/** Google's clients otherwise look for a metadata server, for seconds, before each first call. */
const NO_METADATA_SERVER = { METADATA_SERVER_DETECTION: 'none' };
const DEFAULT_PROJECT = 'demo-millrace';
/** A free port can be taken by another before the emulator binds it. */
const START_TRIES = 3;

export interface EmulatorOptions {
  /** Default true. */
  readonly pubsub?: boolean;
  /** Default true. */
  readonly firestore?: boolean;
  /** Default: GOOGLE_CLOUD_PROJECT, else GCLOUD_PROJECT, else `demo-millrace`. Emulators take any. */
  readonly projectId?: string;
  /** Time for both to become ready, in milliseconds. Default 60,000. */
  readonly timeoutMillis?: number;
  /** Where variables are read from. Default `process.env`. */
  readonly env?: Environment;
}

type Host<Wanted> = Wanted extends false ? undefined : string;

export interface Emulators<Options extends EmulatorOptions = EmulatorOptions> {
  /** `host:port`; undefined when it was not wanted. */
  readonly pubsubHost: Host<Options['pubsub']>;
  readonly firestoreHost: Host<Options['firestore']>;
  readonly projectId: string;
  /** What Google's clients need in their environment to talk to these emulators, for child processes. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends those that were started here and resolves when they are gone. May be called again. */
  stop(): Promise<void>;
}

interface Running {
  readonly host: string;
  readonly process?: GuardedProcess;
}

/**
 * @throws {ConfigurationError} when one is not installed (with the ways to get it), or does not come up (with its output)
 * @example
 * const emulators = await startEmulators();
 * Object.assign(process.env, emulators.environment);
 * try { … } finally { await emulators.stop(); }
 */
export async function startEmulators<const Options extends EmulatorOptions>(
  options?: Options,
): Promise<Emulators<Options>> {
  const { pubsub = true, firestore = true, timeoutMillis = 60_000, env = process.env } = options ?? {};
  const deadline = AbortSignal.timeout(timeoutMillis);
  const names: EmulatorName[] = [...(pubsub ? ['pubsub' as const] : []), ...(firestore ? ['firestore' as const] : [])];
  const found = names.map((name) => ({ name, emulator: findEmulator(name, env) }));
  const missing = found.flatMap(({ emulator }) => (emulator.kind === 'missing' ? [emulator.reason] : []));
  if (missing.length > 0) throw new ConfigurationError(missing.join('\n'));

  const outcomes = await Promise.allSettled(found.map(({ name, emulator }) => bringUp(name, emulator, env, deadline)));
  const running = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stop = async () => {
    await Promise.all(running.map((one) => one.process?.stop()));
  };
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  const hosts = Object.fromEntries(names.map((name, n) => [name, running[n]!.host]));
  const projectId = options?.projectId ?? env.GOOGLE_CLOUD_PROJECT ?? env.GCLOUD_PROJECT ?? DEFAULT_PROJECT;
  const variables = Object.fromEntries(names.map((name) => [HOST_VARIABLE[name], hosts[name]!]));
  return {
    pubsubHost: hosts.pubsub as Host<Options['pubsub']>,
    firestoreHost: hosts.firestore as Host<Options['firestore']>,
    projectId,
    environment: { ...variables, GOOGLE_CLOUD_PROJECT: projectId, ...NO_METADATA_SERVER },
    stop,
  };
}

async function bringUp(
  name: EmulatorName,
  found: FoundEmulator,
  env: Environment,
  deadline: AbortSignal,
): Promise<Running> {
  if (found.kind === 'missing') throw new ConfigurationError(found.reason);
  if (found.kind === 'running') {
    const reason = await probe(name, found.host);
    if (reason === undefined) return { host: found.host };
    throw new ConfigurationError(
      `${found.from}=${found.host} is set, but no ${name} emulator answers there: ${reason}. Start it, or unset ${found.from} to have one started.`,
    );
  }
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    const host = `127.0.0.1:${port}`;
    const args = [...found.program.javaArguments, '--host=127.0.0.1', `--port=${port}`];
    const child = await startProcess(found.java, args, { env: { ...env, ...NO_METADATA_SERVER } });
    const outcome = await Promise.race([
      probeUntilReady(name, host, deadline).then((reason) => ({ reason, ended: false })),
      child.ended.then((how) => ({ reason: `it ended with ${how}`, ended: true })),
    ]);
    if (outcome.reason === undefined) return { host, process: child };
    await child.stop();
    const portTaken = outcome.ended && /already in use|BindException/i.test(child.output());
    if (portTaken && tries < START_TRIES) continue;
    throw new ConfigurationError(
      `The ${name} emulator (${found.from}) did not come up: ${outcome.reason}. Its output:\n${child.output()}`,
    );
  }
}
