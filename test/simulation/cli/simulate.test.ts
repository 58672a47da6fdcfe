import { describe, expect, it } from 'vitest';
import { simulate } from './simulate.ts';

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const lines: string[] = [];
  let err = '';
  const output = {
    out: (line: string) => void lines.push(line),
    err: (text: string) => {
      err += text;
    },
    isTerminal: false,
  };
  const code = await simulate(args, output);
  return { code, out: lines.join('\n'), err };
}

function lastLine(out: string): Record<string, unknown> {
  return JSON.parse(out.split('\n').at(-1)!) as Record<string, unknown>;
}

describe('npm run simulate', () => {
  it('says what it can do', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const option of ['--seeds', '--from', '--seed', '--whole', '--mutation', '--mutations', '--threads', '--json'])
      expect(out).toContain(`${option} `);
  });
  it('ends with a line for machines', async () => {
    const { code, out } = await run('--seeds', '3', '--from', '5', '--threads', '1', '--json');
    expect(code).toBe(0);
    const { seconds, seedsPerSecond, faults, ...rest } = lastLine(out);
    expect(rest).toEqual({ seeds: 3, failed: 0 });
    expect([typeof seconds, typeof seedsPerSecond, typeof faults]).toEqual(['number', 'number', 'object']);
  });
  it('tells the story of one seed, and ends with a line in the same form', async () => {
    const { code, out, err } = await run('--seed', '5', '--json');
    expect(code).toBe(0);
    expect(err).toMatch(/^seed 5\nsource .*\nit ends: well\n$/s);
    expect(lastLine(out)).toMatchObject({ seeds: 1, failed: 0, seed: 5, problem: null });
  });
  it('tells which seeds fail, with a fault in the engine', { timeout: 60_000 }, async () => {
    const { code, out } = await run('--mutation', 'done ranges are not checked', '--seeds', '10');
    expect(code).toBe(1);
    // Each with the rule that it broke, and how.
    const told = out.match(/^seed \d+: [a-z][a-z ]+: .+/gm) ?? [];
    expect(told.length).toBeGreaterThan(0);
    expect(out).toContain(`10 seeds, ${told.length} failed, `);
  });
  it('tells how many seeds notice a fault', { timeout: 60_000 }, async () => {
    const { code, out } = await run('--mutations', 'done ranges are not checked', '--json');
    expect(code).toBe(0);
    expect(lastLine(out)).toMatchObject({
      mutations: 1,
      unnoticed: [],
      slowest: { name: 'done ranges are not checked' },
    });
  });
  it.each([
    [['--seeds', 'many'], "'many' is invalid. It is not a whole number"],
    [['--seeds', '0'], 'It has to be at least 1'],
    [['--seed', '-1'], "'-1' is invalid"],
    [['--seed', '1', '--seeds', '2'], 'cannot be used with'],
    [['--mutation', 'outbox'], "Do you mean:\n  'the outbox is never sent again'"],
    [['--faults'], "unknown option '--faults'"],
    [['12'], 'too many arguments'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).toContain('--help says what there is');
  });
});
