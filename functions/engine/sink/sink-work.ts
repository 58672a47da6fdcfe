/**
 * The work of a table's stage: rows that arrive are appended to the store as runs, one document a bundle, and wait there
 * until a flush writes them.
 */
import { CorruptionError } from '../../model/errors.ts';
import { MAX_TIMESTAMP } from '../../model/time.ts';
import type { Envelope } from '../../ports/bus.ts';
import type { Document } from '../../ports/store.ts';
import { BundleOutput } from '../chain/bundle-output.ts';
import type { Root, RootDraft } from '../protocol/root.ts';
import type { BundleResult, KnownWatermarks, Work, Workspace } from '../shard/work.ts';
import { noCounts } from '../shard/work.ts';
import { adoptInput, adoptKnown } from '../shard/watermarks.ts';
import { dueTime, EMPTY_SINK, type FlushPolicy, type SinkState, withRun } from './sink-state.ts';

/** A run's document keeps below 1 MiB whatever its characters. */
const MAX_RUN_CHARACTERS = 320_000;

/** The body of a run's document: JSON texts of lists of `WaitingRow`. */
export interface RunBody {
  readonly rows: readonly string[];
}

export class SinkWork implements Work {
  readonly #policy: FlushPolicy;
  constructor(policy: FlushPolicy) {
    this.#policy = policy;
  }

  open(root: Root): Workspace {
    return {
      run: async (draft, envelopes, known) => this.#append(root.id, draft, envelopes, known),
      committed: () => {},
    };
  }

  #append(shard: string, draft: RootDraft, envelopes: readonly Envelope[], known: KnownWatermarks): BundleResult {
    let state = sinkState(draft);
    const sets: Document[] = [];
    const counts = noCounts();
    let bodies: string[] = [];
    let rows = 0;
    let waiting = 0;
    const close = (): void => {
      if (bodies.length === 0) return;
      state = withRun(state, rows, waiting, draft.processingTime);
      const body: RunBody = { rows: bodies };
      sets.push({ collection: 'runs', id: runId(shard, state.lastRun), body, index: { shard, number: state.lastRun } });
      counts.elements += rows;
      bodies = [];
      rows = 0;
      waiting = 0;
    };
    let characters = 0;
    for (const envelope of envelopes) {
      if (draft.isTaken(envelope.sender, envelope.number)) continue;
      if (!envelope.body.startsWith('[[')) throw new CorruptionError(`an envelope for ${shard} holds no rows`);
      draft.take(envelope.sender, envelope.number);
      if (waiting + envelope.body.length > MAX_RUN_CHARACTERS) close();
      bodies.push(envelope.body);
      rows += envelope.count;
      waiting += envelope.body.length;
      characters += envelope.body.length;
    }
    close();
    adoptInput(draft, envelopes);
    adoptKnown(draft, known);
    draft.extra = state;
    draft.eventDue = MAX_TIMESTAMP;
    draft.processingDue = dueTime(state, this.#policy);
    return { sets, deletes: [], characters, output: new BundleOutput(), counts, more: false };
  }
}

export function sinkState(of: { readonly extra?: unknown }): SinkState {
  return (of.extra as SinkState | undefined) ?? EMPTY_SINK;
}

export function runId(shard: string, run: number): string {
  return `${shard}~${run}`;
}
