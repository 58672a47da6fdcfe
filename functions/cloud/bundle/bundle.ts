/**
 * Makes what is deployed of a pipeline: `functions/main.ts` with the pipeline in it, by esbuild. Google's clients are chunks
 * of their own, which are read when they are first needed; so a stage does not pay for those that it never calls.
 * functions-framework stays outside: the platform brings it to start us, and there must be one of it.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { BUILD_SCRIPTS, writeCachedEntry } from './compile-cache.ts';

export interface BundleOptions {
  /** The pipeline's file. */
  readonly module: string;
  /** Emptied before. */
  readonly outDir: string;
  /** `local` may run without verified callers, for emulators; `cloud` never. Default `cloud`. */
  readonly flavour?: 'cloud' | 'local';
}

export interface Bundle {
  /** The file that functions-framework loads. */
  readonly main: string;
  /** The source files that went into it. */
  readonly inputs: readonly string[];
  /** By file name, in bytes. */
  readonly sizes: Readonly<Record<string, number>>;
}

const FUNCTIONS = fileURLToPath(new URL('../../', import.meta.url));
const FRAMEWORK = '@google-cloud/functions-framework';
/** What CommonJS packages expect around them. */
const BANNER = [
  "import { createRequire as millraceRequire } from 'node:module';",
  "import { fileURLToPath as millracePath } from 'node:url';",
  'const require = millraceRequire(import.meta.url);',
  'const __filename = millracePath(import.meta.url);',
  "const __dirname = millracePath(new URL('.', import.meta.url));",
].join('\n');

export async function bundlePipeline({ module, outDir, flavour = 'cloud' }: BundleOptions): Promise<Bundle> {
  const plugins = [
    replacing(join(FUNCTIONS, 'cli/load-pipeline.ts'), loaderOf(module)),
    replacing(join(FUNCTIONS, 'cloud/bundle/flavour.ts'), `export const CLOUD_BUNDLE = ${flavour === 'cloud'};`),
  ];
  const { parts, ...bundle } = await bundled('function', join(FUNCTIONS, 'main.ts'), outDir, plugins);
  await writeFile(join(outDir, 'package.json'), await packageOf(BUILD_SCRIPTS));
  return { ...bundle, main: await writeCachedEntry(outDir, 'function.js', parts) };
}

/** Bundles any entry in the same way, to compare with. */
export async function bundleEntry(entry: string, outDir: string): Promise<Bundle> {
  const { parts: _, ...bundle } = await bundled('main', entry, outDir, []);
  await writeFile(join(outDir, 'package.json'), await packageOf());
  return bundle;
}

/** @returns the bundle, and the files of it that are read by themselves */
async function bundled(
  name: string,
  entry: string,
  outDir: string,
  plugins: readonly Plugin[],
): Promise<Bundle & { readonly parts: readonly string[] }> {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  const { metafile } = await build({
    entryPoints: { [name]: entry },
    outdir: outDir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: [FRAMEWORK],
    banner: { js: BANNER },
    minifySyntax: true,
    minifyWhitespace: true,
    // Errors are known by their class's name.
    keepNames: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
    plugins: [parsedJson, ...plugins],
  });
  const outputs = Object.entries(metafile.outputs).map(([file, output]) => ({
    file: file.slice(file.lastIndexOf('/') + 1),
    ...output,
  }));
  return {
    main: join(outDir, `${name}.js`),
    inputs: Object.keys(metafile.inputs).map((file) => resolve(file)),
    sizes: Object.fromEntries(outputs.map(({ file, bytes }) => [file, bytes])),
    parts: outputs.flatMap(({ file, entryPoint }) => (entryPoint === undefined ? [] : [file])),
  };
}

/** The clients carry megabytes of JSON, which V8 parses faster from a text than as an object in the source. */
const parsedJson: Plugin = {
  name: 'parsed-json',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, 'utf8')));
      return { contents: `module.exports = JSON.parse(${JSON.stringify(text)});`, loader: 'js' };
    });
  },
};

/** Puts other code in a file's place. */
function replacing(file: string, contents: string): Plugin {
  const filter = new RegExp(`${file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
  return {
    name: 'replacing',
    setup: ({ onLoad }) => {
      onLoad({ filter }, () => ({ contents, loader: 'js', resolveDir: FUNCTIONS }));
    },
  };
}

function loaderOf(module: string): string {
  return `import graph from ${JSON.stringify(resolve(module))};\nexport const loadPipeline = async () => graph;`;
}

/** The platform installs what it says, and starts it by functions-framework. */
async function packageOf(scripts?: Readonly<Record<string, string>>): Promise<string> {
  const own = JSON.parse(await readFile(join(FUNCTIONS, '../package.json'), 'utf8'));
  const dependencies = { [FRAMEWORK]: own.dependencies[FRAMEWORK] };
  const { engines } = own;
  const description = {
    name: 'millrace-functions',
    private: true,
    type: 'module',
    main: 'main.js',
    scripts,
    engines,
    dependencies,
  };
  return `${JSON.stringify(description, undefined, 2)}\n`;
}
