import { expect, it } from 'vitest';
import { Log } from '../../../functions/cloud/service/log.ts';
import { ContentionError } from '../../../functions/model/errors.ts';

function logged(write: (log: Log) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(new Log('flights', 'my-project', (line) => lines.push(line)));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\{[^\n]*\}\n$/);
  return JSON.parse(lines[0]!);
}

it('a line has the fields that Cloud Logging knows, and those to filter by', () => {
  const fields = { stage: 'delays', shard: 'delays~3', envelope: 'ingest~flights~1#7', trace: 'abc' };
  expect(logged((log) => log.info('taken', fields))).toEqual({
    severity: 'INFO',
    message: 'taken',
    pipeline: 'flights',
    stage: 'delays',
    shard: 'delays~3',
    envelope: 'ingest~flights~1#7',
    'logging.googleapis.com/trace': 'projects/my-project/traces/abc',
  });
});

it('an error adds its message, code and stack, on one line, where Error Reporting looks for it', () => {
  const error = new ContentionError('lost\nagain');
  const line = logged((log) => log.error('bundle failed', { error }));
  expect(line).toMatchObject({ severity: 'ERROR', message: 'bundle failed: lost\nagain', code: 'CONTENTION' });
  expect(line['stack_trace']).toContain('log.test.ts');
});

it('a warning keeps its stack to itself', () => {
  const line = logged((log) => log.warning('busy', { error: new ContentionError('lost') }));
  expect(line['stack']).toContain('log.test.ts');
  expect(line).not.toHaveProperty('stack_trace');
});

it('a line stays within what Cloud Logging takes, whatever an error says', () => {
  const error = new Error('é€'.repeat(1_000_000));
  const line = JSON.stringify(logged((log) => log.error('a step failed', { error })));
  expect(Buffer.byteLength(line)).toBeLessThan(256 * 1024);
  expect(line).toContain('"message":"a step failed: é€é€');
});

it('details are fields of their own, and what is thrown need not be an error', () => {
  expect(logged((log) => log.warning('odd', { error: 'text', details: { sweep: { ticks: 2 } } }))).toEqual({
    severity: 'WARNING',
    message: 'odd: text',
    pipeline: 'flights',
    sweep: { ticks: 2 },
  });
});
