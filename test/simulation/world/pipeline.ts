/**
 * The pipeline of a scenario. Every element carries a token, its name for the judge; groupings collect tokens, and what a
 * pane is called in the next stage says which pane it was.
 */
import type { KeyedPCollection, PCollection } from '../../../functions/model/collection.ts';
import type { ElementContext } from '../../../functions/model/dofn.ts';
import type { Graph } from '../../../functions/model/graph.ts';
import type { KV } from '../../../functions/model/key.ts';
import type { LateRecord } from '../../../functions/model/late.ts';
import { type Pipeline, pipeline } from '../../../functions/model/pipeline.ts';
import { boundedOutOfOrderness } from '../../../functions/model/source.ts';
import {
  fixedWindows,
  globalWindow,
  sessions,
  slidingWindows,
  type WindowFn,
} from '../../../functions/model/windows.ts';
import { addBatches } from './branches/batches.ts';
import { addDistinct } from './branches/distinct.ts';
import { addEnriched } from './branches/enriched.ts';
import { addJoined } from './branches/joined.ts';
import { addKeeper } from './branches/keeper.ts';
import { addRefreshed } from './branches/refreshed.ts';
import { addSide } from './branches/side.ts';
import { addSpread } from './branches/spread.ts';
import { addStored } from './branches/stored.ts';
import { addTold } from './branches/told.ts';
import type { Outside } from './outside.ts';
import { collectTokens, type Item, keyIn, paneToken, tokensIn } from './tokens.ts';
import type { PipelineSpec, RecordSpec, SourceSpec, StageSpec, WindowsSpec } from '../scenario.ts';

/** @param outside what steps ask while they run */
export function buildPipeline(spec: PipelineSpec, outside: Outside): Graph {
  return pipeline('simulated', (p) => {
    const read = spec.sources.map((source) => readSource(p, source).map(`${source.name}-item`, itemOf));
    let items: PCollection<Item> = read.length === 1 ? read[0]! : p.flatten('all', ...read);
    if (spec.keeper !== undefined) addKeeper(items, spec.keeper, outside);
    if (spec.batches !== undefined) addBatches(items, spec.batches);
    if (spec.side !== undefined) addSide(items, spec.side);
    if (spec.enriched !== undefined) addEnriched(items, spec.enriched);
    if (spec.joined !== undefined) addJoined(items, spec.joined);
    if (spec.spread !== undefined) addSpread(items, spec.spread);
    if (spec.distinct !== undefined) addDistinct(items, spec.distinct);
    if (spec.told !== undefined) addTold(items, spec.told, outside);
    if (spec.stored !== undefined) addStored(items, spec.stored);
    if (spec.refreshed !== undefined) addRefreshed(p, items, spec.refreshed);
    for (const stage of spec.stages) items = addStage(items, stage);
  });
}

function readSource(p: Pipeline, source: SourceSpec): PCollection<RecordSpec> {
  const options = {
    schema: { parse: parseRecord },
    eventTime: (record: RecordSpec) => record.at,
    maxAhead: source.maxAhead,
  };
  if (source.kind === 'splits')
    return p.readFile(source.name, {
      ...options,
      arrivalTime: (record) => record.arrival,
      ...(source.delay === undefined ? {} : { watermark: boundedOutOfOrderness(source.delay) }),
    });
  return p.readPubSub(source.name, {
    ...options,
    watermark: boundedOutOfOrderness(source.delay, { whenIdle: source.advancesWhenIdle ? 'advance' : 'wait' }),
    idHorizon: source.idHorizon,
    ...(source.named ? { id: (record: RecordSpec) => record.id } : {}),
  });
}

function addStage(items: PCollection<Item>, spec: StageSpec): PCollection<Item> {
  const { name } = spec;
  let keyed: KeyedPCollection<string, Item> = items.keyBy(`${name}-key`, ({ key }) => keyIn(key, spec.keys));
  if (spec.windows !== undefined)
    keyed = keyed.window(`${name}-windows`, windowFn(spec.windows), {
      trigger: spec.trigger,
      accumulation: spec.accumulating ? 'accumulating' : 'discarding',
      allowedLateness: spec.lateness,
      timestampCombiner: spec.timestamps,
      onTime: spec.emptyOnTime ? 'always' : 'ifNonEmpty',
      closing: spec.emptyLast ? 'always' : 'ifNonEmpty',
    });
  const panes = spec.lifted
    ? keyed.combinePerKey(name, collectTokens)
    : keyed.mapValues(`${name}-token`, tokenOf).groupByKey(name);
  const flush = { rows: spec.flushRows, every: spec.flushEvery };
  panes.writeBigQuery(`${name}-panes`, {
    columns: {
      k: 'STRING',
      window_start: 'INT64',
      window_end: 'INT64',
      pane: 'INT64',
      non_speculative: 'INT64',
      timing: 'STRING',
      is_first: 'BOOL',
      is_last: 'BOOL',
      at: 'INT64',
      tokens: 'JSON',
    },
    key: ['k', 'window_start', 'window_end', 'pane'],
    row: ({ key, value }, { window, pane, timestamp }) => ({
      k: key,
      window_start: window.start,
      window_end: window.end,
      pane: pane.index,
      non_speculative: pane.nonSpeculativeIndex,
      timing: pane.timing,
      is_first: pane.isFirst,
      is_last: pane.isLast,
      at: timestamp,
      tokens: value,
    }),
    flush,
  });
  if (spec.keepsNewest)
    panes.writeBigQuery(`${name}-newest`, {
      columns: { k: 'STRING', window_start: 'INT64', window_end: 'INT64', pane: 'INT64', tokens: 'JSON' },
      key: ['k', 'window_start', 'window_end'],
      row: ({ key, value }, { window, pane }) => ({
        k: key,
        window_start: window.start,
        window_end: window.end,
        pane: pane.index,
        tokens: value,
      }),
      flush,
    });
  if (spec.readsLate)
    panes.late().writeBigQuery(`${name}-late`, {
      columns: { window_start: 'INT64', window_end: 'INT64', watermark: 'INT64', reason: 'STRING', tokens: 'JSON' },
      key: [],
      row: ({ window, watermark, reason, value }: LateRecord<string, unknown>) => ({
        window_start: window.start,
        window_end: window.end,
        watermark,
        reason,
        tokens: tokensIn(value),
      }),
      flush,
    });
  return panes.map(`${name}-item`, paneItem);
}

function parseRecord(input: unknown): RecordSpec {
  const record = input as RecordSpec;
  if (record.flaw === 'decode') throw new Error('a record that no schema admits');
  return record;
}

function itemOf({ id, key, flaw }: RecordSpec): Item {
  if (flaw === 'step') throw new Error('a step that throws');
  return { token: id, key, ...(flaw === undefined ? {} : { flaw }) };
}

function paneItem({ key }: KV<string, unknown>, { window, pane }: ElementContext): Item {
  return { token: paneToken(key, window.start, window.end, pane.index), key: `${key}${pane.index}` };
}

function tokenOf(item: Item): string {
  if (item.flaw === 'add') throw new Error('a step that throws');
  return item.token;
}

function windowFn(spec: WindowsSpec): WindowFn {
  switch (spec.kind) {
    case 'fixed':
      return fixedWindows(spec.size, { offset: spec.offset });
    case 'sliding':
      return slidingWindows(spec.size, { every: spec.every });
    case 'sessions':
      return sessions(spec.gap);
    case 'global':
      return globalWindow();
  }
}
