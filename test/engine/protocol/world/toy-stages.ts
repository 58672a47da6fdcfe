/**
 * Two stages that do no more than the protocol needs: the first keeps some elements for a while, holding the watermark,
 * and sends all on; the second writes down what it takes, twice if it takes it twice.
 */
import { BundleOutput, type Outgoing } from '../../../../functions/engine/chain/bundle-output.ts';
import { shardId } from '../../../../functions/engine/protocol/names.ts';
import type { RootDraft } from '../../../../functions/engine/protocol/root.ts';
import { adoptInput, adoptKnown } from '../../../../functions/engine/shard/watermarks.ts';
import { type KnownWatermarks, noCounts, type Work } from '../../../../functions/engine/shard/work.ts';
import { type EpochMillis, MAX_TIMESTAMP, plus } from '../../../../functions/model/time.ts';
import type { Envelope } from '../../../../functions/ports/bus.ts';

export interface ToyElement {
  readonly id: number;
  readonly at: EpochMillis;
}

export function sent(element: ToyElement, stage: string, shard: number): Outgoing {
  return { target: shardId(stage, shard), text: JSON.stringify(element), earliest: element.at, count: 1 };
}

function taken(draft: RootDraft, envelopes: readonly Envelope[]): ToyElement[] {
  const elements: ToyElement[] = [];
  for (const { sender, number, body } of envelopes) {
    if (draft.isTaken(sender, number)) continue;
    draft.take(sender, number);
    elements.push(...(JSON.parse(body) as ToyElement[]));
  }
  return elements;
}

/** Keeps two fifths of what it takes for some bundles. */
export function keepingWork(random: () => number, targets: number): Work {
  const forward = (element: ToyElement): Outgoing => sent(element, 'two', Math.floor(random() * targets));
  const run = async (draft: RootDraft, envelopes: readonly Envelope[], known: KnownWatermarks) => {
    const kept = [...((draft.extra as readonly ToyElement[] | undefined) ?? [])];
    const output = new BundleOutput();
    const releasing = kept.splice(0, Math.floor(random() * (kept.length + 1)));
    for (const element of releasing) {
      draft.holds.move(element.at, undefined);
      output.outgoing.push(forward(element));
    }
    for (const element of taken(draft, envelopes)) {
      if (random() < 0.6) output.outgoing.push(forward(element));
      else {
        draft.holds.move(undefined, element.at);
        kept.push(element);
      }
    }
    adoptInput(draft, envelopes);
    adoptKnown(draft, known);
    draft.extra = kept;
    draft.processingDue = kept.length === 0 ? MAX_TIMESTAMP : plus(draft.processingTime, 10_000);
    return { sets: [], deletes: [], characters: 0, output, counts: noCounts(), more: false };
  };
  return { open: () => ({ run, committed: () => {} }) };
}

/** Writes down, in its root, the ids of all that it takes. */
export function writingWork(): Work {
  const run = async (draft: RootDraft, envelopes: readonly Envelope[], known: KnownWatermarks) => {
    const before = (draft.extra as readonly number[] | undefined) ?? [];
    draft.extra = [...before, ...taken(draft, envelopes).map(({ id }) => id)];
    adoptInput(draft, envelopes);
    adoptKnown(draft, known);
    return { sets: [], deletes: [], characters: 0, output: new BundleOutput(), counts: noCounts(), more: false };
  };
  return { open: () => ({ run, committed: () => {} }) };
}
