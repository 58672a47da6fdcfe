import { describe, expect, it } from 'vitest';
import type { SideContext } from '../../../functions/model/dofn.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { fixedWindows } from '../../../functions/model/windows.ts';
import { survey } from '../../../functions/operate/status/survey.ts';
import { examineViews } from '../../../functions/operate/views/view-doctor.ts';
import { viewReports, type ViewReport } from '../../../functions/operate/views/view-report.ts';
import { Harness, source } from '../../engine/views/harness.ts';

const MINUTE = 60_000;

const graph = pipeline('examined', (p) => {
  const list = source<string>(p, 'side')
    .window('side-windows', fixedWindows('1h'))
    .asList('list', { maxBytes: 10_000 });
  const process = (_: string, { output, side }: SideContext<number, { list: typeof list }>): void =>
    output(side.list.length);
  source<string>(p, 'main')
    .window('main-windows', fixedWindows('1h'))
    .parDo('join', { process }, { sideInputs: { list } });
});

async function reports(harness: Harness): Promise<ViewReport[]> {
  const { plan } = harness.embedded;
  return viewReports(plan, await survey(harness.store, 'examined', harness.clock.now(), plan));
}

const elements = (count: number) => Array.from({ length: count }, () => ({ at: MINUTE, value: 'x'.repeat(997) }));

describe('reports of views', () => {
  it('say what a view holds, who waits since when and why, and how long elements have waited', async () => {
    const harness = await Harness.start(graph, { shards: 1 });
    await harness.send('side', ...elements(3));
    await harness.send('main', { at: 0, value: 'A' }, { at: 1, value: 'B' });
    await harness.advance(5 * MINUTE);
    const [waiting] = await reports(harness);
    expect(waiting).toEqual({
      view: 'list',
      shape: 'list',
      watermark: MINUTE,
      windows: 0,
      bytes: 0,
      maxBytes: 10_000,
      largest: null,
      changed: null,
      problems: [],
      readers: [
        {
          stage: 'join',
          waiting: [
            {
              start: 0,
              end: 3_600_000,
              elements: 2,
              since: 0,
              because: { kind: 'staged', elements: 3, until: 3_599_999 },
            },
          ],
          waited: { elements: 0, millis: 0 },
        },
      ],
    });
    await harness.watermark('side', 60 * MINUTE);
    const [shown] = await reports(harness);
    expect(shown).toMatchObject({
      watermark: 60 * MINUTE,
      windows: 1,
      bytes: 3_000,
      largest: { start: 0, end: 3_600_000, bytes: 3_000, elements: 3 },
      changed: 5 * MINUTE,
      readers: [{ waiting: [], waited: { elements: 2, millis: 10 * MINUTE } }],
    });
  });
});

describe('what the doctor says of views', () => {
  it('nothing, while they are well', async () => {
    const harness = await Harness.start(graph, { shards: 1 });
    await harness.send('side', ...elements(7));
    await harness.send('main', { at: 0, value: 'A' });
    await harness.watermark('side', 60 * MINUTE);
    expect(examineViews(await reports(harness), harness.clock.now())).toEqual([]);
  });

  it('who waits for more than a minute, for which window and until when', async () => {
    const harness = await Harness.start(graph, { shards: 1 });
    await harness.send('side', ...elements(3));
    await harness.send('main', { at: 0, value: 'A' }, { at: 60 * MINUTE, value: 'C' });
    await harness.advance(MINUTE - 1);
    expect(examineViews(await reports(harness), harness.clock.now())).toEqual([]);
    await harness.advance(1);
    const findings = examineViews(await reports(harness), harness.clock.now());
    expect(findings.map(({ severity, sentence }) => `${severity}: ${sentence}`)).toEqual([
      "warning: 1 elements of 'join' wait for [1970-01-01T00:00:00.000Z, 1970-01-01T01:00:00.000Z) since 1970-01-01T00:00:00.000Z: it has 3 elements, and its trigger fires when the view's watermark is past 1970-01-01T00:59:59.999Z; the view's watermark stands at 1970-01-01T00:01:00.000Z",
      "warning: 1 elements of 'join' wait for [1970-01-01T01:00:00.000Z, 1970-01-01T02:00:00.000Z) since 1970-01-01T00:00:00.000Z: nothing has come for it, and it is known to be empty when the view's watermark is past 1970-01-01T01:59:59.999Z; the view's watermark stands at 1970-01-01T00:01:00.000Z",
    ]);
    expect(findings[0]!.remedies[0]).toBe('see what holds it: millrace why list');
  });

  it('from four fifths of the budget on, what to do before it is full', async () => {
    const harness = await Harness.start(graph, { shards: 1 });
    await harness.send('side', ...elements(8));
    await harness.watermark('side', 60 * MINUTE);
    expect(examineViews(await reports(harness), harness.clock.now())).toEqual([
      {
        view: 'list',
        severity: 'warning',
        sentence:
          'its largest window, [1970-01-01T00:00:00.000Z, 1970-01-01T01:00:00.000Z), has 8 elements with 8000 bytes, 80 % of its budget; above it the view stops changing',
        remedies: [
          'keep only the columns that readers use: put a map before the view',
          'keep only the keys that readers ask for: put a filter before the view',
          'join with coGroupByKey, which holds no side in memory',
          'read single keys from a store outside with lookUp',
          'raise maxBytes (10000)',
        ],
      },
    ]);
  });

  it('above the budget, that it has stopped', async () => {
    const harness = await Harness.start(graph, { shards: 1 });
    await harness.send('side', ...elements(11));
    await harness.watermark('side', 60 * MINUTE);
    const [finding] = examineViews(await reports(harness), harness.clock.now());
    expect(finding).toMatchObject({ view: 'list', severity: 'error' });
    expect(finding!.sentence).toMatch(
      /^since 1970-01-01T00:00:00.000Z it does not change for \[1970.*\), and readers have nothing: view 'list' would have 11000 bytes/,
    );
  });

  it('that nobody reads it', async () => {
    const harness = await Harness.start(
      pipeline('examined', (p) => {
        source<string>(p, 'side').asList('list');
      }),
    );
    expect(examineViews(await reports(harness), harness.clock.now())).toEqual([
      {
        view: 'list',
        severity: 'warning',
        sentence: 'nobody reads it, so what comes is thrown away',
        remedies: ['remove it, or declare it in the sideInputs of a parDo'],
      },
    ]);
  });
});
