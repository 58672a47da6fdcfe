import { describe, expect, it } from 'vitest';
import { Log } from '../../../functions/cloud/service/log.ts';
import { logView } from '../../../functions/cloud/service/view-log.ts';
import { GLOBAL_WINDOW } from '../../../functions/model/windows.ts';

describe('the log of views', () => {
  it.each([
    [7_999, 'INFO'],
    [8_000, 'WARNING'],
    [10_000, 'WARNING'],
  ])('a view with %i of 10,000 bytes is %s', (bytes, severity) => {
    const lines: Record<string, unknown>[] = [];
    const log = new Log('pipe', 'project', (line) => lines.push(JSON.parse(line)));
    logView(log, { view: 'rates', window: GLOBAL_WINDOW, elements: 3, bytes, maxBytes: 10_000 });
    expect(lines).toMatchObject([
      { severity, stage: 'rates', view: { window: 'the global window', elements: 3, bytes, share: bytes / 10_000 } },
    ]);
  });
});
