/** The faults that the simulation must notice, each by itself. */
import { AFRESH_MUTATIONS } from './afresh.ts';
import { DEDUPLICATE_MUTATIONS } from './deduplicate.ts';
import { ENRICH_MUTATIONS } from './enrich.ts';
import { INGEST_MUTATIONS } from './ingest.ts';
import type { Mutation } from './mutation.ts';
import { OPERATE_MUTATIONS } from './operate.ts';
import { PROTOCOL_MUTATIONS } from './protocol.ts';
import { REDUCE_MUTATIONS } from './reduce.ts';
import { SINK_MUTATIONS } from './sink.ts';
import { STATE_MUTATIONS } from './state.ts';
import { STATEFUL_MUTATIONS } from './stateful.ts';
import { SWEEP_MUTATIONS } from './sweep.ts';
import { VIEWS_MUTATIONS } from './views.ts';
import { WATERMARK_MUTATIONS } from './watermark.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...PROTOCOL_MUTATIONS,
  ...INGEST_MUTATIONS,
  ...WATERMARK_MUTATIONS,
  ...STATE_MUTATIONS,
  ...STATEFUL_MUTATIONS,
  ...SINK_MUTATIONS,
  ...SWEEP_MUTATIONS,
  ...REDUCE_MUTATIONS,
  ...DEDUPLICATE_MUTATIONS,
  ...ENRICH_MUTATIONS,
  ...VIEWS_MUTATIONS,
  ...OPERATE_MUTATIONS,
  ...AFRESH_MUTATIONS,
];
