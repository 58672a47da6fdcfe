import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { zip } from '../../infra/scripts/zip.ts';

const entries = [
  { name: 'package.json', content: Buffer.from('{"type":"module"}') },
  { name: 'index.js', content: Buffer.from('export {};\n'.repeat(1_000)) },
  { name: 'chunks/ä.js', content: Buffer.from('') },
];

/** Reads an archive by its directory, as unpackers do. */
function unzip(archive: Buffer): Record<string, string> {
  const files: Record<string, string> = {};
  const end = archive.length - 22;
  expect(archive.readUInt32LE(end)).toBe(0x06054b50);
  let at = archive.readUInt32LE(end + 16);
  for (let i = 0; i < archive.readUInt16LE(end + 10); i++) {
    const [packed, size, name] = [
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
      archive.readUInt16LE(at + 28),
    ];
    const local = archive.readUInt32LE(at + 42);
    const content = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const text = inflateRawSync(archive.subarray(content, content + packed)).toString();
    expect(Buffer.byteLength(text)).toBe(size);
    files[archive.subarray(at + 46, at + 46 + name).toString()] = text;
    at += 46 + name;
  }
  return files;
}

describe('zip', () => {
  test('unpacks to what went in', () => {
    expect(unzip(Buffer.from(zip(entries)))).toEqual({
      'package.json': '{"type":"module"}',
      'index.js': 'export {};\n'.repeat(1_000),
      'chunks/ä.js': '',
    });
  });

  test('is the same bytes whatever the order, the day and the machine', () => {
    const hash = createHash('sha256').update(zip(entries)).digest('hex');
    expect(
      createHash('sha256')
        .update(zip([...entries].reverse()))
        .digest('hex'),
    ).toBe(hash);
    // Of one small file without compression effects: a literal, so that another Node that packs otherwise is noticed.
    const one = zip([{ name: 'a', content: Buffer.from('hello') }]);
    expect(Buffer.from(one).toString('hex')).toBe(
      '504b03041400000808000000210086a6103607000000050000000100000061cb48cdc9c907' +
        '00504b01021403140000080800000021' +
        '0086a610360700000005000000010000000000000000000000a4810000000061' +
        '504b050600000000010001002f000000260000000000',
    );
  });

  test('refuses two entries of one name', () => {
    const [first] = entries;
    expect(() => zip([first!, first!])).toThrow("two entries of the archive are called 'package.json'");
  });

  const python = spawnSync('python3', ['--version']).status === 0;
  test.skipIf(!python)('is a zip to others, too', () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-zip-'));
    try {
      const path = join(folder, 'a.zip');
      writeFileSync(path, zip(entries));
      const program =
        'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])';
      const { status, stderr } = spawnSync('python3', ['-c', program, path, join(folder, 'out')], { encoding: 'utf8' });
      expect(stderr).toBe('');
      expect(status).toBe(0);
      expect(readFileSync(join(folder, 'out', 'chunks', 'ä.js'), 'utf8')).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
