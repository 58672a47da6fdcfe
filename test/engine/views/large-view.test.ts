import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./large-view-run.ts', import.meta.url));

/**
 * The manifest gives what reads or writes a view of 64 MiB 768 MiB, of which JavaScript's values may have 576. Here one
 * process does both, and is the store as well, which for a while has the view twice: its 128 MiB come on top.
 */
const HEAP = 576 + 128;

async function run(mib: number, shape: 'map' | 'list') {
  const { stdout } = await promisify(execFile)(process.execPath, [
    `--max-old-space-size=${HEAP}`,
    SCRIPT,
    `${mib}`,
    shape,
  ]);
  return JSON.parse(stdout) as { values: unknown[]; letters: unknown[]; shown: number; remains: string[] };
}

describe('large views', { timeout: 60_000 }, () => {
  it('a map of 60 MiB works in the memory that the manifest gives its readers', async () => {
    const { values, letters, shown, remains } = await run(60, 'map');
    expect(values).toHaveLength(3);
    expect(values).toEqual(
      expect.arrayContaining([
        [0, true, 61_440],
        [61_439, true, 61_440],
        [61_440, false, 61_440],
      ]),
    );
    expect(letters).toEqual([]);
    // 480 buckets of 128 KiB, and the pointer.
    expect(shown).toBe(481);
    expect(remains).toEqual([]);
  });

  it('a list of 60 MiB does too', async () => {
    const { values, letters, remains } = await run(60, 'list');
    expect(values).toEqual(
      expect.arrayContaining([
        [0, '0000000000', 61_440],
        [61_439, '0000061439', 61_440],
        [61_440, null, 61_440],
      ]),
    );
    expect(letters).toEqual([]);
    expect(remains).toEqual([]);
  });

  it('one of 70 MiB is refused with one dead letter that names the ways out, and so are those who read it', async () => {
    const { values, letters, remains } = await run(70, 'map');
    expect(values).toEqual([]);
    expect(letters).toEqual([
      ['all', 'VIEW_TOO_LARGE', 71_680],
      ['join', 'VIEW_TOO_LARGE', 1],
      ['join', 'VIEW_TOO_LARGE', 1],
      ['join', 'VIEW_TOO_LARGE', 1],
    ]);
    expect(remains).toEqual([]);
  });
});
