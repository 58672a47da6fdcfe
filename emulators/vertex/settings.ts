import type { FaultRule } from './faults.ts';
import type { Models } from './models.ts';
import type { QuotaOptions } from './quota.ts';

export interface VertexOptions {
  /** Default: no quota. */
  readonly quota?: QuotaOptions;
  /** Default: none. The first rule that meets a call decides. */
  readonly faults?: readonly FaultRule[];
  /** For the shares of the fault rules. Default 1. */
  readonly seed?: number;
  /** Instances, texts or prompts that make the server answer 400 for the whole request. Default: what the model refuses. */
  readonly isBad?: (instance: unknown) => boolean;
  readonly models?: Models;
  /** How long the work of a request takes, in milliseconds. Default 0. */
  readonly workMillis?: number;
  /** Default 1,500,000, the limit of shared public endpoints. */
  readonly maxRequestBytes?: number;
  /** Milliseconds since 1970. Default: the system's clock. A test gives its virtual one. */
  readonly now?: () => number;
  /** Waits on the same clock. Default: the system's. */
  readonly sleep?: (millis: number) => Promise<void>;
}
