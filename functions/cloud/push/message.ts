/** What a pushed message is, once it is decoded, and the request it comes in. No HTTP library, no Google types. */
import { DecodeError } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';

/** A Pub/Sub message, whatever shape it came in. */
export interface PushMessage {
  /** Pub/Sub's own id: the same for every delivery of one publish, another when the publisher tried again. */
  readonly messageId: string;
  /** When Pub/Sub took it, cut to the millisecond; undefined where the sender left it out (local tools do). */
  readonly publishTime: EpochMillis | undefined;
  /** Empty for messages that consist of attributes only. */
  readonly data: Buffer;
  /** Has no prototype, so that an attribute named `__proto__` is an attribute. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly orderingKey: string | undefined;
  /** 1, 2, …; only where the subscription has a dead-letter policy, and best effort even then. Nothing may rest on it. */
  readonly deliveryAttempt: number | undefined;
  /** `projects/P/subscriptions/S`, where the shape carries it. */
  readonly subscription: string | undefined;
}

/** As much of a request as decoding needs. Express' and functions-framework's requests fit as they are. */
export interface PushRequest {
  /** Names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What a body parser made of the body, if one ran. */
  readonly body?: unknown;
  /** The body as it came. Needed for unwrapped messages, and wherever no body parser ran. */
  readonly rawBody?: Uint8Array | undefined;
}

/** A request that is no Pub/Sub message. Never worth a retry: it is a dead letter, or a 400 where it has no id. */
export class PushDecodeError extends DecodeError {
  /** The path of what is wrong, e.g. `'message.data'`. */
  readonly field: string;
  /** The message's id as far as it could be made out, to name the dead letter by. */
  readonly messageId: string | undefined;

  constructor(field: string, problem: string, messageId?: string) {
    super(`push: ${field}: ${problem}`);
    this.field = field;
    this.messageId = messageId;
  }
}
