import { describe, expect, it } from 'vitest';
import { conform } from '../../functions/cli/conform.ts';

async function results(...lines: readonly unknown[]): Promise<unknown[]> {
  const written: unknown[] = [];
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await conform(stream(texts), (line) => written.push(JSON.parse(line)));
  return written;
}

async function* stream(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const fixed = { id: 'a', window: { type: 'fixed', size: 10 } };

describe('conform', () => {
  it('writes panes, drops and hold for each action, and passes over the expectations', async () => {
    const steps = [
      { watermark: 5 },
      { input: [{ value: 'x', timestamp: 7 }] },
      { expectHold: 7 },
      { watermark: 10 },
      { expect: [] },
      { input: [{ value: { n: [1, null] }, timestamp: 3 }] },
      { processingTime: 4 },
    ];
    const [result] = await results({ ...fixed, allowedLateness: 0, timestampCombiner: 'earliest', steps });
    const nothing = { panes: [], dropped: { late: 0, closed: 0 }, hold: null };
    expect(result).toEqual({
      id: 'a',
      steps: [
        nothing,
        { ...nothing, hold: 7 },
        {
          ...nothing,
          panes: [
            {
              window: [0, 10],
              values: ['x'],
              timestamp: 7,
              timing: 'ON_TIME',
              index: 0,
              nonSpeculativeIndex: 0,
              isFirst: true,
              isLast: true,
            },
          ],
        },
        { ...nothing, dropped: { late: 1, closed: 0 } },
        { ...nothing, dropped: { late: 1, closed: 0 } },
      ],
    });
  });

  it('writes the global window by its name, and its panes without a timestamp', async () => {
    const steps = [{ input: [{ value: 1, timestamp: -5 }] }, { watermark: 'infinity' }];
    const [result] = (await results({ id: 1, window: { type: 'global' }, steps })) as [
      { steps: { panes: object[] }[] },
    ];
    expect(result.steps[1]?.panes).toEqual([
      {
        window: 'global',
        values: [1],
        timing: 'ON_TIME',
        index: 0,
        nonSpeculativeIndex: 0,
        isFirst: true,
        isLast: true,
      },
    ]);
  });

  it('runs a trigger as it stands, which an author could not build', async () => {
    const trigger = { type: 'afterFirst', triggers: [{ type: 'afterCount', count: 1 }] };
    const steps = [{ input: [{ value: 1, timestamp: 1 }] }, { input: [{ value: 2, timestamp: 2 }] }];
    const [result] = (await results({ ...fixed, trigger, steps })) as [{ steps: { dropped: object }[] }];
    expect(result.steps[1]?.dropped).toEqual({ late: 0, closed: 1 });
  });

  it('goes on after what cannot be read, and after what cannot be run', async () => {
    const good = { ...fixed, id: 'good', steps: [] };
    const summary: unknown[] = [];
    const lines = [
      '{not json',
      JSON.stringify({ id: 'bad', window: { type: 'hopping' }, steps: [] }),
      '',
      JSON.stringify(good),
    ];
    const count = await conform(stream(lines), (line) => summary.push(JSON.parse(line)));
    expect(count).toEqual({ cases: 3, failed: 2 });
    expect(summary).toEqual([
      { id: null, error: { name: 'SyntaxError', message: expect.stringContaining('JSON') } },
      {
        id: 'bad',
        error: {
          name: 'ConfigurationError',
          message: `window.type: expected 'fixed', 'sliding', 'sessions' or 'global', got "hopping"`,
        },
      },
      { id: 'good', steps: [] },
    ]);
  });

  it.each([
    ['null', 'the case: expected an object, got null'],
    [{ ...fixed }, 'steps: expected a list, got nothing'],
    [{ ...fixed, steps: [{}] }, 'steps[0]: expected input, watermark, processingTime or an expectation, got {}'],
    [
      { ...fixed, steps: [{ input: [{ value: 1, timestamp: 1.5 }] }] },
      'steps[0].input[0].timestamp: expected whole milliseconds within the range of time, got 1.5',
    ],
    [{ ...fixed, steps: [{ watermark: 'soon' }] }, 'steps[0].watermark: expected whole milliseconds, got "soon"'],
    [{ ...fixed, trigger: { type: 'repeatedly' }, steps: [] }, 'trigger.trigger: expected an object, got nothing'],
    [
      { ...fixed, trigger: { type: 'sometimes' }, steps: [] },
      'trigger.type: expected a trigger of the format, got "sometimes"',
    ],
    [{ ...fixed, trigger: { type: 'afterCount' }, steps: [] }, 'trigger.count: expected a whole number, got nothing'],
    [{ ...fixed, closing: 'never', steps: [] }, `closing: expected 'ifNonEmpty' or 'always', got "never"`],
  ])('says what is wrong with %j', async (json, message) => {
    const [result] = (await results(json)) as [{ error: { message: string } }];
    expect(result.error.message).toBe(message);
  });
});
