/** Publishes a file's records to a source's topic, as its publisher would. */
import { openInput } from '../../functions/local/input/open-input.ts';
import { SYSTEM_CLOCK } from '../../functions/local/system.ts';
import type { Clients } from '../relay/clients.ts';

/** Messages of one request. */
const AT_ONCE = 500;
const SLICE_MILLIS = 100;

/**
 * @param topic `projects/{project}/topics/{topic}`
 * @param rate records a second; 0 = as fast as it goes
 * @param signal ends it
 * @returns how many were published
 */
export async function sendFile(
  { publisher }: Pick<Clients, 'publisher'>,
  topic: string,
  path: string,
  rate: number,
  signal: AbortSignal,
): Promise<number> {
  const started = performance.now();
  let sent = 0;
  for await (const records of openInput(path, () => SYSTEM_CLOCK.now()))
    for (let at = 0; at < records.length && !signal.aborted; ) {
      const room = rate === 0 ? AT_ONCE : Math.floor(((performance.now() - started) / 1_000) * rate) + 1 - sent;
      const some = records.slice(at, at + Math.min(AT_ONCE, Math.max(0, room)));
      if (some.length === 0) {
        await new Promise((resolve) => setTimeout(resolve, SLICE_MILLIS));
        continue;
      }
      // A line that is no JSON goes out as it is, for the source to refuse.
      const messages = some.map(({ value, problem }) => ({
        data: Buffer.from(problem === undefined ? JSON.stringify(value) : String(value)),
      }));
      await publisher.publish({ topic, messages });
      sent += some.length;
      at += some.length;
    }
  return sent;
}
