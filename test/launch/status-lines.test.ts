import { expect, it } from 'vitest';
import { countsByStage } from '../../emulators/dev/status-lines.ts';
import type { FunctionStatus } from '../../functions/cloud/service/function.ts';

const counts = (elements: number) => ({
  elements,
  duplicates: 0,
  late: 0,
  deadLetters: 1,
  panes: { EARLY: 0, ON_TIME: 2, LATE: 0 },
});

it('shows an instance that does not answer as it was, and adds up what all have counted', async () => {
  let answers = true;
  const says = async (elements: number): Promise<FunctionStatus> => {
    if (!answers) throw new TypeError('fetch failed');
    return { stages: { delays: counts(elements) } } as unknown as FunctionStatus;
  };
  const instances = [{ status: () => says(3) }, { status: () => says(4) }];
  const expected = { ...counts(7), deadLetters: 2, panes: { EARLY: 0, ON_TIME: 4, LATE: 0 } };
  expect((await countsByStage(instances)).get('delays')).toEqual(expected);
  answers = false;
  expect((await countsByStage(instances)).get('delays')).toEqual(expected);
  expect(await countsByStage([{ status: () => says(1) }])).toEqual(new Map());
});
