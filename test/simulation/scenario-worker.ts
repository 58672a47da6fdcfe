/** Runs one scenario in a thread of its own, whose engine may have a fault in it. */
import { parentPort, workerData } from 'node:worker_threads';
import { runScenario } from './run.ts';
import type { Scenario } from './scenario.ts';

const { problem } = await runScenario(workerData as Scenario);
parentPort!.postMessage(problem?.rule);
