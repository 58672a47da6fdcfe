/** Posts one push and says how it was answered. Connections are kept; one agent a route. */
import { Agent, type ClientRequest, request } from 'node:http';

export type PushOutcome =
  /** The function answered with this status. */
  | { readonly kind: 'answered'; readonly status: number }
  /** The ack deadline passed first. The request was cut off; the function may still be at work. */
  | { readonly kind: 'deadline' }
  /** No answer: refused, reset, no such host. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** The statuses by which a push is acknowledged; anything else refuses it. */
const ACKNOWLEDGING = new Set([102, 200, 201, 202, 204]);

const NEW_CONNECTION = false;
const STALE = 'stale connection';

export function isAcknowledged(outcome: PushOutcome): boolean {
  return outcome.kind === 'answered' && ACKNOWLEDGING.has(outcome.status);
}

export class Pusher {
  readonly #urls: readonly URL[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #deadlineMillis: number;
  readonly #agent: Agent;
  readonly #open = new Set<ClientRequest>();
  #turn = 0;

  /** @param urls where pushes go, in turn */
  constructor(urls: readonly string[], headers: Readonly<Record<string, string>>, deadlineMillis: number) {
    this.#urls = urls.map((url) => new URL(url));
    this.#headers = { 'content-type': 'application/json', 'user-agent': 'millrace-relay', ...headers };
    this.#deadlineMillis = deadlineMillis;
    this.#agent = new Agent({ keepAlive: true, scheduling: 'lifo' });
  }

  async push(body: Buffer): Promise<PushOutcome> {
    const url = this.#urls[this.#turn++ % this.#urls.length]!;
    const outcome = await this.#post(url, body, this.#agent);
    return outcome === STALE ? this.#post(url, body, NEW_CONNECTION) : outcome;
  }

  /** Cuts off what is still open. */
  close(): void {
    for (const open of this.#open) open.destroy();
    this.#agent.destroy();
  }

  /** A kept connection that the server closed while we wrote is no answer of the function: it is worth one more try. */
  #post(url: URL, body: Buffer, agent: typeof NEW_CONNECTION): Promise<PushOutcome>;
  #post(url: URL, body: Buffer, agent: Agent): Promise<PushOutcome | typeof STALE>;
  #post(url: URL, body: Buffer, agent: Agent | typeof NEW_CONNECTION): Promise<PushOutcome | typeof STALE> {
    return new Promise((resolve) => {
      const headers = { ...this.#headers, 'content-length': body.length };
      const posted = request(url, { method: 'POST', agent, headers });
      this.#open.add(posted);
      const settle = (outcome: PushOutcome | typeof STALE) => {
        clearTimeout(deadline);
        this.#open.delete(posted);
        resolve(outcome);
      };
      const deadline = setTimeout(() => {
        settle({ kind: 'deadline' });
        posted.destroy();
      }, this.#deadlineMillis);
      posted.on('information', ({ statusCode }) => {
        if (statusCode === 102) settle({ kind: 'answered', status: 102 });
      });
      posted.on('response', (response) => {
        response.on('error', () => {}); // the status is all that counts
        response.resume();
        settle({ kind: 'answered', status: response.statusCode ?? 0 });
      });
      posted.on('error', (error: NodeJS.ErrnoException) => {
        const stale = posted.reusedSocket && error.code === 'ECONNRESET';
        settle(stale ? STALE : { kind: 'unreachable', reason: error.code ?? error.message });
      });
      posted.end(body);
    });
  }
}
