import type { SweepResult } from '../../../functions/engine/sweep/sweeper.ts';

/** What a sweep has found: the roots, and what of their open ranges they may drop. */
export type Findings = Pick<SweepResult, 'roots' | 'settled'>;

export const NOTHING_FOUND: Findings = { roots: new Map(), settled: new Map() };
