/** The functions' archives: a zip each, and the list of them that terraform reads. */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Manifest } from '../../functions/plan/manifest.ts';
import { type ZipEntry, zip } from './zip.ts';

/** By function: terraform's variable `archives`. */
export type Archives = Readonly<Record<string, { readonly path: string; readonly sha256: string }>>;

/** The list of archives, beside them. */
export const ARCHIVES_FILE = 'archives.tfvars.json';

/**
 * Writes `{folder}/{function}.zip` for each function and the list of them; removes what was there before.
 * @param bundle what is in each: functions are told apart by their environment, not by their code
 */
export async function writeArchives(
  manifest: Manifest,
  bundle: readonly ZipEntry[],
  folder: string,
): Promise<Archives> {
  const archive = zip(bundle);
  const sha256 = createHash('sha256').update(archive).digest('hex');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const archives: Record<string, { path: string; sha256: string }> = {};
  for (const { id } of manifest.functions) {
    const path = resolve(folder, `${id}.zip`);
    await writeFile(path, archive);
    archives[id] = { path, sha256 };
  }
  await writeFile(join(folder, ARCHIVES_FILE), `${JSON.stringify({ archives }, undefined, 2)}\n`);
  return archives;
}
