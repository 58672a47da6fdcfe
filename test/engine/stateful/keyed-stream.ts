/** A source of keyed values whose event times the test gives. */
import type { KeyedPCollection, PCollection } from '../../../functions/model/collection.ts';
import type { Graph } from '../../../functions/model/graph.ts';
import { pipeline, type Pipeline } from '../../../functions/model/pipeline.ts';
import { type TestOptions, type TestPipeline, testPipeline, timestamped } from '../../../functions/local/testing.ts';

interface Sent<V> {
  readonly k: string;
  readonly v: V;
}

export function values<T>(p: Pipeline, name = 'in'): PCollection<T> {
  return p.readPubSub<T>(name, { schema: { parse: (value) => value as T } });
}

export function keyed<V>(p: Pipeline, name = 'in'): KeyedPCollection<string, V> {
  return values<Sent<V>>(p, name)
    .keyBy(`${name}-key`, ({ k }) => k)
    .mapValues(`${name}-value`, ({ v }) => v);
}

/** A value of a key at an instant. */
export function kv(k: string, v: unknown, at: number): unknown {
  return timestamped({ k, v }, at);
}

/** A pipeline of one keyed source. */
export function keyedPipeline<V>(build: (stream: KeyedPCollection<string, V>) => void): Graph {
  return pipeline('test', (p) => build(keyed<V>(p)));
}

export function start<V>(
  build: (stream: KeyedPCollection<string, V>) => void,
  options: TestOptions = {},
): Promise<TestPipeline> {
  return testPipeline(keyedPipeline(build), options);
}
