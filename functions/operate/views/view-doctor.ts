/**
 * Explains views that are large, stuck or slow: what they hold, who waits, for which window, and what to do about it. What
 * `millrace doctor` says of views.
 */
import { type EpochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import { describeInstant } from '../../model/time.ts';
import { VIEW_WARNING_SHARE } from '../../model/views.ts';
import { describeWindow } from '../../model/windows.ts';
import type { NotReady, ReaderReport, ViewReport, WaitingForWindow } from './view-report.ts';

export interface Finding {
  readonly view: string;
  /** `error`: readers get nothing, or nothing new. `warning`: they will, or they wait for long. */
  readonly severity: 'error' | 'warning';
  readonly sentence: string;
  /** What to do, the first choice first. */
  readonly remedies: readonly string[];
}

/** Elements that wait for less than this are not worth a word; milliseconds. */
const PATIENCE = 60_000;

const SMALLER = [
  'keep only the columns that readers use: put a map before the view',
  'keep only the keys that readers ask for: put a filter before the view',
  'join with coGroupByKey, which holds no side in memory',
  'read single keys from a store outside with lookUp',
];

/** Nothing = the views are well. @param now processing time */
export function examineViews(reports: readonly ViewReport[], now: EpochMillis): Finding[] {
  return reports.flatMap((report) => [
    ...problems(report),
    ...size(report),
    ...report.readers.flatMap((reader) => waiting(report, reader, now)),
    ...unread(report),
  ]);
}

function problems({ view, problems, maxBytes, largest }: ViewReport): Finding[] {
  return problems.map(({ code, message, since, ...window }) => {
    const kept = largest === null ? 'readers have nothing' : 'readers keep what they had';
    const sentence = `since ${describeInstant(since)} it does not change for ${describeWindow(window)}, and ${kept}: ${message}`;
    const remedies =
      code === 'VIEW_TOO_LARGE'
        ? [...SMALLER, `raise maxBytes (${maxBytes}), and with it the memory of all who read it`]
        : [
            'combine the elements of a window, or of a key, before the view: combineGlobally or combinePerKey with latest',
          ];
    return { view, severity: 'error', sentence, remedies };
  });
}

function size({ view, largest, maxBytes }: ViewReport): Finding[] {
  if (largest === null || largest.bytes < maxBytes * VIEW_WARNING_SHARE) return [];
  const percent = Math.floor((100 * largest.bytes) / maxBytes);
  const sentence = `its largest window, ${describeWindow(largest)}, has ${largest.elements} elements with ${largest.bytes} bytes, ${percent} % of its budget; above it the view stops changing`;
  return [{ view, severity: 'warning', sentence, remedies: [...SMALLER, `raise maxBytes (${maxBytes})`] }];
}

function waiting(report: ViewReport, { stage, waiting }: ReaderReport, now: EpochMillis): Finding[] {
  return waiting
    .filter(({ since }) => now - since >= PATIENCE)
    .map((window) => {
      const { elements, since } = window;
      const [why, remedies] = explain(report, window);
      const sentence = `${elements} elements of '${stage}' wait for ${describeWindow(window)} since ${describeInstant(since)}: ${why}`;
      return { view: report.view, severity: 'warning', sentence, remedies };
    });
}

function explain({ view, watermark }: ViewReport, { because }: WaitingForWindow): [why: string, remedies: string[]] {
  const stands = `the view's watermark stands at ${describeInstant(watermark)}`;
  const look = `see what holds it: millrace why ${view}`;
  switch (because.kind) {
    case 'ready':
      return ['it is ready, and the next sweep tells them', ['see whether sweeps run: millrace status']];
    case 'writing':
      return [
        'its first version is being written',
        ['wait; a version that its writer has given up is begun again after two minutes'],
      ];
    case 'fired':
      return [
        `its first pane has fired and may be shown from ${describeInstant(because.due)} on`,
        [`see whether the stage '${view}' works: millrace status`],
      ];
    case 'loading':
      return ['its source was not read to its end yet', [`see the errors of the stage '${view}' in the log`]];
    case 'staged':
      return [
        `it has ${because.elements} elements, and its trigger ${fires(because)}; ${stands}`,
        [look, ...sooner(because)],
      ];
    case 'open':
      return [`nothing has come for it, and it ${isEmpty(because)}; ${stands}`, [look, ...sooner(because)]];
  }
}

function fires({ until }: Extract<NotReady, { kind: 'staged' }>): string {
  return until >= MAX_TIMESTAMP ? 'has not fired' : `fires when the view's watermark is past ${describeInstant(until)}`;
}

function isEmpty({ until }: Extract<NotReady, { kind: 'open' }>): string {
  return until >= MAX_TIMESTAMP
    ? 'will get something only from its source'
    : `is known to be empty when the view's watermark is past ${describeInstant(until)}`;
}

function sooner({ until }: { readonly until: EpochMillis }): string[] {
  const remedies = ['give the view smaller windows, or a trigger with early firings, to be ready sooner'];
  if (until < MAX_TIMESTAMP)
    remedies.push('lower its source’s lateness or maxLag, or choose a watermark that moves while the source is silent');
  return remedies;
}

function unread({ view, readers }: ViewReport): Finding[] {
  if (readers.length > 0) return [];
  const sentence = 'nobody reads it, so what comes is thrown away';
  return [{ view, severity: 'warning', sentence, remedies: ['remove it, or declare it in the sideInputs of a parDo'] }];
}
