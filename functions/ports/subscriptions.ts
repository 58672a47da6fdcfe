/** Delivery to a stage, or from a source, switched off and on. What is sent meanwhile waits where it was sent to. */
export interface Delivery {
  readonly kind: 'stage' | 'source';
  readonly id: string;
}

/** Each may break off half-way and be done again; what is done already stays as it is. */
export interface Subscriptions {
  /**
   * Reads what `resume` will need, and changes nothing; to be kept before the delivery is stopped.
   * @param noted what was noted before, of what is stopped already
   * @returns plain JSON
   * @throws {ConfigurationError} when a stage is stopped and nobody has noted how it goes on
   */
  note(delivery: Delivery, noted?: unknown): Promise<unknown>;
  /**
   * Stops a delivery; what is under way may still arrive.
   * @param noted what `note` returned: nothing is stopped that is not in it. Absent: all is, and nobody starts it again so
   */
  pause(delivery: Delivery, noted?: unknown): Promise<void>;
  /** @param noted what `note` returned */
  resume(delivery: Delivery, noted: unknown): Promise<void>;
}
