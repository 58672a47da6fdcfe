/**
 * A bundle's compile cache: what V8 makes of the code, kept beside it, so that an instance starts a fifth faster. It holds
 * for one version of V8 and one folder, so it is made where the function is built: the platform's build runs `gcp-build`.
 * Where it is missing or does not fit, V8 compiles as ever.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FOLDER = 'compile-cache';
const WARM = 'warm.js';

/** What goes into the bundle's package.json, for the platform's build. */
export const BUILD_SCRIPTS = { 'gcp-build': `node ${WARM}` } as const;

/**
 * Writes the file that functions-framework loads, and the one that fills the cache.
 * @param entry the bundle's own entry, beside which both are put
 * @param parts all files that are read by themselves: the entry, and what is imported when it is first needed
 */
export async function writeCachedEntry(outDir: string, entry: string, parts: readonly string[]): Promise<string> {
  const main = join(outDir, 'main.js');
  const enable = [
    "import { enableCompileCache, flushCompileCache } from 'node:module';",
    "import { join } from 'node:path';",
    `enableCompileCache(join(import.meta.dirname, '${FOLDER}'));`,
  ];
  await writeFile(main, `${enable.join('\n').replace(', flushCompileCache', '')}\nawait import('./${entry}');\n`);
  const warm = [
    ...enable,
    '// Only compiling matters here: what needs an environment fails, and has been compiled by then.',
    `for (const part of ${JSON.stringify(parts)}) await import(\`./\${part}\`).catch(() => {});`,
    'flushCompileCache();',
    'process.exit();',
  ];
  await writeFile(join(outDir, WARM), `${warm.join('\n')}\n`);
  return main;
}

/** Does what the platform's build does: fills the cache of a bundle for this machine. */
export async function warmBundle(outDir: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(outDir, WARM)]);
}
