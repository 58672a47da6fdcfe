/** Moving a shard to newer watermarks. Each was published before anybody sent it, so each is safe to adopt at any time. */
import { later } from '../../model/time.ts';
import type { Envelope } from '../../ports/bus.ts';
import type { RootDraft } from '../protocol/root.ts';
import type { KnownWatermarks } from './work.ts';

/** The watermarks at which the senders of a bundle's elements judged them. */
export function adoptInput(draft: RootDraft, envelopes: readonly Envelope[]): void {
  for (const { inputWatermark } of envelopes) draft.inputWatermark = later(draft.inputWatermark, inputWatermark);
}

/** What ticks have brought. */
export function adoptKnown(draft: RootDraft, known: KnownWatermarks): void {
  draft.outputWatermark = later(draft.outputWatermark, known.outputWatermark);
  draft.inputWatermark = later(draft.inputWatermark, known.inputWatermark);
}
