import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type HclBlock, parseHcl } from './parse.ts';

export const INFRA = fileURLToPath(new URL('../../../infra/', import.meta.url));

/** The paths of all terraform files below a folder; downloaded modules and providers are not ours. */
export function terraformFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== '.terraform')
    .sort((a, b) => a.name.localeCompare(b.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? terraformFiles(path) : entry.name.endsWith('.tf') ? [path] : [];
    });
}

/** The outermost blocks of a folder's own files, without those of folders below. */
export function moduleBlocks(folder: string): HclBlock[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.tf'))
    .sort()
    .flatMap((name) => parseHcl(readFileSync(join(folder, name), 'utf8'), join(folder, name)).blocks);
}

/** The outermost blocks of everything in `infra/`. */
export function allBlocks(): HclBlock[] {
  return terraformFiles(INFRA).flatMap((path) => parseHcl(readFileSync(path, 'utf8'), path).blocks);
}
