/**
 * What goes wrong, and when. Invariant: whether a rule meets a call follows from the seed and the call's number alone,
 * so a run can be repeated.
 */
import { chance } from '../seeded.ts';

export type Fault =
  /** An error instead of work, e.g. 503, 500 or an outage's 429. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The right answer, late. */
  | { readonly kind: 'slow'; readonly millis: number }
  /** The work is done and counted; the connection is cut instead of an answer. */
  | { readonly kind: 'lost' }
  /** The first predictions only: a share of them from 0 to below 1, rounded down, so always fewer. `:predict` only. */
  | { readonly kind: 'partial'; readonly keep: number };

export interface FaultRule {
  readonly fault: Fault;
  /** Share of the calls below that it meets, 0 to 1. Default 1. */
  readonly share?: number;
  /** The calls it is for, by number, from 1, both included. Default: all. Calls over quota have no number. */
  readonly calls?: { readonly from?: number; readonly to?: number };
  /** The time it is for, in milliseconds since the server's start (or the last reset), `until` excluded. Default: all. */
  readonly millis?: { readonly from?: number; readonly until?: number };
  /** The endpoint's or model's id. Default: all. */
  readonly target?: string;
}

export interface FaultedCall {
  readonly number: number;
  readonly sinceStartMillis: number;
  readonly target: string;
}

/** The fault of the first rule that meets the call. */
export function faultOf(rules: readonly FaultRule[], seed: number, call: FaultedCall): Fault | undefined {
  return rules.find((rule, n) => meets(rule, call) && chance(seed, 'fault', n, call.number) < (rule.share ?? 1))?.fault;
}

function meets({ calls, millis, target }: FaultRule, call: FaultedCall): boolean {
  if (target !== undefined && target !== call.target) return false;
  if (call.number < (calls?.from ?? 1) || call.number > (calls?.to ?? Number.POSITIVE_INFINITY)) return false;
  return (
    call.sinceStartMillis >= (millis?.from ?? 0) && call.sinceStartMillis < (millis?.until ?? Number.POSITIVE_INFINITY)
  );
}

/** What is wrong with a list of rules from outside, or undefined. */
export function problemOfRules(rules: unknown): string | undefined {
  if (!Array.isArray(rules)) return 'rules: expected a list';
  for (const [n, rule] of rules.entries()) {
    const problem = problemOfRule(rule);
    if (problem !== undefined) return `rules[${n}].${problem}`;
  }
  return undefined;
}

function problemOfRule(rule: unknown): string | undefined {
  const { fault, share } = (rule ?? {}) as Partial<Record<keyof FaultRule, unknown>>;
  const { kind, status, millis, keep } = (fault ?? {}) as Record<string, unknown>;
  const number = (value: unknown, least: number) => typeof value === 'number' && value >= least;
  if (share !== undefined && !(number(share, 0) && (share as number) <= 1)) {
    return `share: expected a number from 0 to 1, got ${JSON.stringify(share)}`;
  }
  if (kind === 'lost') return undefined;
  if (kind === 'status') return number(status, 400) ? undefined : 'fault.status: expected a number from 400 up';
  if (kind === 'slow') return number(millis, 0) ? undefined : 'fault.millis: expected milliseconds';
  if (kind === 'partial') {
    return number(keep, 0) && (keep as number) < 1 ? undefined : 'fault.keep: expected a share from 0 to below 1';
  }
  return `fault.kind: expected status, slow, lost or partial, got ${JSON.stringify(kind)}`;
}
