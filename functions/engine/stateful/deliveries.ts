/** What a cell delivers to its callbacks, one at a time. */
import type { EpochMillis } from '../../model/time.ts';
import type { Incoming } from '../element-codec.ts';
import type { SetTimer } from './timer-text.ts';
import type { WindowState } from './window-state.ts';

export type Delivery =
  /** An element that has waited, for another try or for its turn. */
  | { readonly kind: 'element'; readonly element: Incoming; readonly attempts: number }
  | { readonly kind: 'timer'; readonly state: WindowState; readonly timer: SetTimer }
  | { readonly kind: 'expiration'; readonly state: WindowState }
  /** Something has reached its time to live. */
  | { readonly kind: 'purge'; readonly state: WindowState };

/** The clocks as this key sees them. */
export interface KeyClocks {
  readonly inputWatermark: EpochMillis;
  readonly processingTime: EpochMillis;
}
