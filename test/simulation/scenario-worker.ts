/** Runs variations of one scenario in a thread of its own, whose engine may have a fault in it. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Scenario } from './scenario.ts';
import { breaksOften } from './variations.ts';

/** What the thread is started with. */
export interface Question {
  readonly scenario: Scenario;
  readonly rule: string;
  readonly variations: number;
}

// Runs throw thousands of errors of which nobody reads where they come from.
Error.stackTraceLimit = 0;

const { scenario, rule, variations } = workerData as Question;
parentPort!.postMessage(await breaksOften(scenario, rule, 1, variations));
