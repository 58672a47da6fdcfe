/** Delivery to a stage, or from a source, switched off and on. What is sent meanwhile waits where it was sent to. */
export interface Delivery {
  readonly kind: 'stage' | 'source';
  readonly id: string;
}

export interface Subscriptions {
  /**
   * Stops a delivery; what is under way may still arrive. Stopping what is stopped changes nothing.
   * @returns what `resume` needs; plain JSON
   */
  pause(delivery: Delivery): Promise<unknown>;
  /** @param paused what `pause` returned */
  resume(delivery: Delivery, paused: unknown): Promise<void>;
}
