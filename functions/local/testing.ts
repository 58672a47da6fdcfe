/**
 * The testing kit, for the people who write pipelines.
 *
 * @example
 * const test = await testPipeline(pipeline, { troubles: { everyMessageTwice: true } });
 * await test.send('orders', { customer: 'ada', cents: 500, at: '2026-01-01T10:00Z' });
 * await test.advanceWatermark('2026-01-01T11:00Z');
 * expect(test.outputs('total')).toEqual([{ key: 'ada', value: 500 }]);
 */
import type { Graph } from '../model/graph.ts';
import type { TestOptions } from './testing/test-options.ts';
import { TestPipeline } from './testing/test-pipeline.ts';

export type { InspectedTimer, InspectedWindow } from '../engine/stateful/inspect.ts';
export type { LocalModel } from './memory-predictor.ts';
export type { TestOptions, Troubles } from './testing/test-options.ts';
export type { TestPipeline } from './testing/test-pipeline.ts';
export { type Timestamped, timestamped } from './testing/test-source.ts';
export type { Seen } from './testing/watch.ts';

/** Starts a pipeline under test. */
export function testPipeline(graph: Graph, options: TestOptions = {}): Promise<TestPipeline> {
  return new TestPipeline(graph, options).start();
}
