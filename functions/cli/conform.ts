/**
 * `millrace conform`: runs conformance cases, one a line, against the engine that pipelines run on. A case is one key
 * of one grouping step; it is run as it stands, without the checks that an author gets when a pipeline is built.
 */
import {
  type FailedPane,
  KeyReduction,
  type LateInput,
  type Pane,
  type ReduceContext,
  type ReduceInput,
  reduceSpec,
} from '../engine/reduce/index.ts';
import { collect } from '../model/combine.ts';
import type { PaneInfo } from '../model/pane.ts';
import { earlier, type EpochMillis, later, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../model/time.ts';
import { assignWindows, GLOBAL_WINDOW, sameWindow } from '../model/windows.ts';
import { type ConformanceCase, type ConformanceStep, parseCase } from './conformance-case.ts';

interface PaneResult extends PaneInfo {
  readonly window: readonly [number, number] | 'global';
  readonly values: readonly unknown[];
  readonly timestamp?: number;
}

interface StepResult {
  readonly panes: readonly PaneResult[];
  /** Since the case began. */
  readonly dropped: { readonly late: number; readonly closed: number };
  readonly hold: number | null;
}

/** How many lines were read, and how many of those could not be run. */
export interface ConformSummary {
  readonly cases: number;
  readonly failed: number;
}

/**
 * @param lines one case each, as JSON; empty ones are passed over
 * @param write gets one result a case, as JSON, in the order of the cases
 */
export async function conform(lines: AsyncIterable<string>, write: (line: string) => void): Promise<ConformSummary> {
  let cases = 0;
  let failed = 0;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    cases++;
    let id: unknown = null;
    try {
      const json: unknown = JSON.parse(line);
      id = (json as { id?: unknown } | null)?.id ?? null;
      write(JSON.stringify({ id, steps: runCase(parseCase(json)) }));
    } catch (error) {
      failed++;
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      write(JSON.stringify({ id, error: { name, message } }));
    }
  }
  return { cases, failed };
}

function runCase({ strategy, steps }: ConformanceCase): StepResult[] {
  const reduction = KeyReduction.decode(reduceSpec(strategy, collect<unknown>()), undefined);
  const dropped = { expired: 0, closed: 0 };
  let panes: PaneResult[] = [];
  const output = {
    pane: (pane: Pane<unknown[]>) => void panes.push(paneResult(pane)),
    late: ({ reason }: LateInput) => void dropped[reason]++,
    failed: ({ error }: FailedPane) => {
      throw error;
    },
  };
  let context: ReduceContext = {
    inputWatermark: MIN_TIMESTAMP,
    outputWatermark: MIN_TIMESTAMP,
    processingTime: MIN_TIMESTAMP,
  };
  return steps.map((step) => {
    panes = [];
    context = withClocksOf(step, context);
    if (step.kind === 'input')
      reduction.addBundle(
        context,
        step.elements.map((element) => inputOf(element, strategy)),
        output,
      );
    else reduction.advance({ ...context, only: step.kind === 'watermark' ? 'event' : 'processing' }, output);
    const hold = reduction.hold();
    if (step.kind === 'watermark') context = withOutputWatermark(context, hold);
    return { panes, dropped: { late: dropped.expired, closed: dropped.closed }, hold: hold ?? null };
  });
}

/** Clocks never step back. */
function withClocksOf(step: ConformanceStep, context: ReduceContext): ReduceContext {
  switch (step.kind) {
    case 'watermark':
      return { ...context, inputWatermark: later(context.inputWatermark, step.at) };
    case 'processingTime':
      return { ...context, processingTime: later(context.processingTime, step.at) };
    case 'input':
      return context;
  }
}

/** As in Beam's own test harness, the output watermark follows whenever the input watermark has been moved. */
function withOutputWatermark(context: ReduceContext, hold: EpochMillis | undefined): ReduceContext {
  const reached = earlier(context.inputWatermark, hold ?? MAX_TIMESTAMP);
  return { ...context, outputWatermark: later(context.outputWatermark, reached) };
}

function inputOf(
  { value, timestamp }: { value: unknown; timestamp: EpochMillis },
  { windowFn }: ConformanceCase['strategy'],
): ReduceInput {
  return { value, lifted: false, count: 1, timestamp, latest: timestamp, windows: assignWindows(windowFn, timestamp) };
}

function paneResult({ window, timestamp, pane, value }: Pane<unknown[]>): PaneResult {
  const isGlobal = sameWindow(window, GLOBAL_WINDOW);
  return {
    window: isGlobal ? 'global' : [window.start, window.end],
    values: value,
    ...(isGlobal ? {} : { timestamp }),
    ...pane,
  };
}
