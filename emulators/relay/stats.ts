/** What a route has done and what it holds. Counts grow only; the rest is the moment's. */

export interface RouteStats {
  readonly subscription: string;
  /** Messages taken from the emulator, redeliveries included. */
  readonly pulled: number;
  /** Requests sent, second copies and retries included. */
  readonly pushed: number;
  /** Messages acknowledged because a push was answered well. */
  readonly acknowledged: number;
  /** Pushes refused: another status, no answer in time, or no connection. */
  readonly refused: number;
  /** Pushes by answer: a status, `'deadline'` or `'unreachable'`. */
  readonly answers: Readonly<Record<string, number>>;
  readonly deadLettered: number;
  /** Second copies sent (trouble). */
  readonly duplicated: number;
  /** Messages acknowledged without delivery (trouble). */
  readonly dropped: number;
  /** Whole milliseconds that acknowledged pushes took, summed; divided by their number it is the mean. */
  readonly pushMillis: number;
  /** Requests in flight now. */
  readonly inFlight: number;
  /** Messages held now: in flight, ready, delayed or waiting for their next attempt. */
  readonly held: number;
  /**
   * Publish time of the oldest message held, in milliseconds since 1970; undefined when none is. Together with
   * `caughtUp` it is what Cloud Monitoring's oldest_unacked_message_age says.
   */
  readonly oldestHeld: number | undefined;
  /** Whether the emulator had nothing more when last asked: the last pull has waited for 200 ms without an answer. */
  readonly caughtUp: boolean;
}

export type RelayStats = readonly RouteStats[];

export class RouteCounters {
  pulled = 0;
  pushed = 0;
  acknowledged = 0;
  refused = 0;
  deadLettered = 0;
  duplicated = 0;
  dropped = 0;
  pushMillis = 0;
  readonly answers: Record<string, number> = {};

  count(answer: string | number): void {
    this.answers[answer] = (this.answers[answer] ?? 0) + 1;
  }
}
