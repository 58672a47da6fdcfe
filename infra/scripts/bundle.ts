/**
 * One pipeline's functions as a few JavaScript files: `functions/main.ts` with the pipeline in it. What a stage does not
 * need (the BigQuery client, say) lies in files of its own that are loaded when it is asked for. Invariant: the same sources
 * give the same bytes, wherever and whenever they are built.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { ZipEntry } from './zip.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = fileURLToPath(new URL('../../functions/main.ts', import.meta.url));
/** Installed where the function is built: it starts the function, and must be the copy that the function registers with. */
const FRAMEWORK = '@google-cloud/functions-framework';
/** CommonJS modules within expect these. */
const BANNER = [
  "import { createRequire as __createRequire } from 'node:module';",
  "import { fileURLToPath as __fileURLToPath } from 'node:url';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = __fileURLToPath(import.meta.url);',
  "const __dirname = __fileURLToPath(new URL('.', import.meta.url));",
].join('\n');

/** @param module the path of the module that exports the pipeline */
export async function bundle(module: string): Promise<ZipEntry[]> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: { index: MAIN },
    outdir: 'bundle',
    entryNames: '[name]',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    charset: 'utf8',
    legalComments: 'none',
    minifySyntax: true,
    external: [FRAMEWORK],
    banner: { js: BANNER },
    logLevel: 'error',
    plugins: [onePipeline(module)],
  });
  const files = outputFiles.map(({ path, contents }) => ({ name: relative(path), content: contents }));
  return [...files, { name: 'package.json', content: Buffer.from(packageFile()) }];
}

/** Puts the pipeline in the place of the code that would look for it. */
function onePipeline(module: string): Plugin {
  return {
    name: 'one-pipeline',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]cli[\\/]load-pipeline\.ts$/ }, () => ({
        contents: `import graph from ${JSON.stringify(module)};\nexport const loadPipeline = async () => graph;\nexport const loadLocalModel = async () => undefined;\n`,
        loader: 'ts',
        resolveDir: ROOT,
      }));
    },
  };
}

function relative(path: string): string {
  const parts = path.split(/[\\/]/);
  return parts.slice(parts.lastIndexOf('bundle') + 1).join('/') || basename(path);
}

function packageFile(): string {
  const installed = JSON.parse(readFileSync(`${ROOT}node_modules/${FRAMEWORK}/package.json`, 'utf8'));
  const file = {
    name: 'millrace-functions',
    private: true,
    type: 'module',
    main: 'index.js',
    engines: { node: '24' },
    dependencies: { [FRAMEWORK]: installed.version },
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
