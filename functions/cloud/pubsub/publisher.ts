/**
 * Publishing to topics. Invariants: of a topic only so many requests are under way; what comes meanwhile gathers and goes
 * out together; every call is tried once, since who publishes knows a better way than to wait (a sweep sends again).
 */
import type { v1 } from '@google-cloud/pubsub';
import { ConfigurationError } from '../../model/errors.ts';
import { emulatorAddress } from '../emulator-address.ts';
import { classifyGrpc, GRPC, grpcCode } from '../grpc-errors.ts';
import type { WireMessage } from './message.ts';

export interface PubSubSetting {
  readonly projectId: string;
  /** `host:port` of an emulator; absent: Google's own. */
  readonly emulatorHost?: string | undefined;
  /** For each request, in milliseconds. Default 20,000. */
  readonly timeoutMillis?: number;
}

interface Waiting {
  readonly messages: readonly WireMessage[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Pub/Sub takes 1,000 messages and 10 MB in one request; its emulator hangs above 4 MiB. */
const MOST_MESSAGES = 1_000;
const MOST_BYTES = 3 * 1024 * 1024;
/** Requests under way for one topic. */
const MOST_REQUESTS = 4;
const DEFAULT_TIMEOUT = 20_000;
/** What a message weighs in a request beside data and attributes. */
const MESSAGE_OVERHEAD = 100;

export class Publisher {
  readonly #setting: PubSubSetting;
  readonly #topics = new Map<string, TopicQueue>();
  #client: Promise<v1.PublisherClient> | undefined;

  constructor(setting: PubSubSetting) {
    this.#setting = setting;
  }

  /**
   * Resolves when Pub/Sub has taken all of them.
   * @throws {RetryableError} when it may go well later; some may have been taken
   * @throws {ConfigurationError} when the topic is not there, or may not be published to
   */
  async publish(topic: string, messages: readonly WireMessage[]): Promise<void> {
    let queue = this.#topics.get(topic);
    if (queue === undefined) {
      queue = new TopicQueue((batch) => this.#send(topic, batch));
      this.#topics.set(topic, queue);
    }
    await queue.publish(messages);
  }

  /** Loads and opens the client, for who will need it soon and waits for something else. What fails shows when it is used. */
  async prepare(): Promise<void> {
    this.#client ??= openPublisher(this.#setting);
    await this.#client.catch(() => {});
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await (await client)?.close();
  }

  async #send(topic: string, messages: readonly WireMessage[]): Promise<void> {
    const { projectId, timeoutMillis = DEFAULT_TIMEOUT } = this.#setting;
    try {
      this.#client ??= openPublisher(this.#setting);
      const client = await this.#client;
      const request = { topic: `projects/${projectId}/topics/${topic}`, messages: messages as WireMessage[] };
      await client.publish(request, { timeout: timeoutMillis, retry: null });
    } catch (error) {
      if (grpcCode(error) === GRPC.notFound)
        throw new ConfigurationError(`Pub/Sub: there is no topic '${topic}' in project '${projectId}'; deploy it`, {
          cause: error,
        });
      throw classifyGrpc(error, `Pub/Sub: publish to ${topic}`);
    }
  }
}

export async function openPublisher({ projectId, emulatorHost }: PubSubSetting): Promise<v1.PublisherClient> {
  const { PublisherClient } = await import('../clients/publisher.ts');
  const emulator = emulatorHost === undefined ? {} : await emulatorAddress(emulatorHost);
  return new PublisherClient({ projectId, ...emulator });
}

/** The messages for one topic that wait, and the requests that are under way. */
class TopicQueue {
  readonly #send: (messages: readonly WireMessage[]) => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #requests = 0;

  constructor(send: (messages: readonly WireMessage[]) => Promise<void>) {
    this.#send = send;
  }

  async publish(messages: readonly WireMessage[]): Promise<void> {
    await Promise.all(batches(messages).map((batch) => this.#enqueue(batch)));
  }

  #enqueue(messages: readonly WireMessage[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ messages, bytes: sum(messages), resolve, reject });
      // What is published in the same turn shares a request.
      queueMicrotask(() => this.#next());
    });
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#requests < MOST_REQUESTS) {
      const together = this.#take();
      this.#requests += 1;
      this.#send(together.flatMap(({ messages }) => messages))
        .then(
          () => {
            for (const { resolve } of together) resolve();
          },
          (error: unknown) => {
            for (const { reject } of together) reject(error);
          },
        )
        .finally(() => {
          this.#requests -= 1;
          this.#next();
        });
    }
  }

  #take(): Waiting[] {
    let count = 0;
    let bytes = 0;
    let length = 0;
    for (const waiting of this.#waiting) {
      count += waiting.messages.length;
      bytes += waiting.bytes;
      if (length > 0 && (count > MOST_MESSAGES || bytes > MOST_BYTES)) break;
      length += 1;
    }
    return this.#waiting.splice(0, length);
  }
}

function batches(messages: readonly WireMessage[]): WireMessage[][] {
  const result: WireMessage[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = sizeOf(message);
    const last = result.at(-1);
    if (last === undefined || last.length >= MOST_MESSAGES || bytes + size > MOST_BYTES) {
      result.push([message]);
      bytes = size;
    } else {
      last.push(message);
      bytes += size;
    }
  }
  return result;
}

function sum(messages: readonly WireMessage[]): number {
  return messages.reduce((bytes, message) => bytes + sizeOf(message), 0);
}

function sizeOf({ data, attributes }: WireMessage): number {
  let bytes = data.length + MESSAGE_OVERHEAD;
  for (const name in attributes) bytes += name.length + Buffer.byteLength(attributes[name]!);
  return bytes;
}
