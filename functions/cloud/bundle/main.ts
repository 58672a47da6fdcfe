/** `npm run bundle -- <pipeline> [--out DIR] [--local]` */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundlePipeline } from './bundle.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, local: { type: 'boolean' } },
});
const [pipeline = ''] = positionals;
const known = fileURLToPath(new URL(`../../pipelines/${pipeline}.ts`, import.meta.url));
const module = existsSync(known) ? known : resolve(pipeline);
if (positionals.length !== 1 || !existsSync(module)) {
  console.error(`Usage: npm run bundle -- <pipeline> [--out DIR] [--local]\nThere is no pipeline '${pipeline}'.`);
  process.exitCode = 2;
} else {
  const outDir = values.out ?? `dist/${pipeline.replace(/^.*\//, '').replace(/\.\w+$/, '')}`;
  const { sizes } = await bundlePipeline({ module, outDir, flavour: values.local ? 'local' : 'cloud' });
  for (const [file, bytes] of Object.entries(sizes)) console.log(`${outDir}/${file}  ${Math.ceil(bytes / 1_024)} KiB`);
}
