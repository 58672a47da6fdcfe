/**
 * Is an emulator there? Asked by a request that goes through the emulator's own service, not by opening its port:
 * both listen before they can answer.
 */
import { createServer } from 'node:net';
import { messageOf } from '../functions/model/errors.ts';
import type { EmulatorName } from './discover.ts';

const PROBE_PATH: Readonly<Record<EmulatorName, string>> = {
  pubsub: '/v1/projects/demo-probe/topics',
  firestore: '/v1/projects/demo-probe/databases/(default)/documents/probe',
};
const PROBE_EVERY_MILLIS = 50;
const PROBE_TIMEOUT_MILLIS = 2_000;

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Why the emulator at `host` (host:port) does not answer, or undefined when it does. */
export async function probe(name: EmulatorName, host: string): Promise<string | undefined> {
  try {
    const response = await fetch(`http://${host}${PROBE_PATH[name]}`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MILLIS),
      headers: { connection: 'close' },
    });
    const body = await response.text();
    return response.ok ? undefined : `it answered ${response.status} ${body.slice(0, 200)}`;
  } catch (error) {
    return error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
  }
}

/**
 * Probes until the emulator answers or `signal` aborts.
 * @returns undefined when it answers, else the reason of the last probe
 */
export async function probeUntilReady(
  name: EmulatorName,
  host: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const reason = await probe(name, host);
    if (reason === undefined || signal.aborted) return reason;
    await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MILLIS));
  }
}
