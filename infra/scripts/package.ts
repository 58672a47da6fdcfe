/** `npm run package -- <pipeline>`: bundles a pipeline's functions, a zip each, into `dist/archives/<pipeline>`. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { PROCESS_IO } from '../../functions/cli/io.ts';
import { loadPipeline, pipelineModule } from '../../functions/cli/load-pipeline.ts';
import { bundlePipeline } from '../../functions/cloud/bundle/bundle.ts';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import { SHAPES, type Shape } from '../../functions/plan/deployed-functions.ts';
import { ARCHIVES_FOLDER } from '../../functions/plan/gcloud.ts';
import type { Manifest } from '../../functions/plan/manifest.ts';
import { plan } from '../../functions/plan/plan.ts';
import { type Archives, writeArchives } from './archives.ts';
import type { ZipEntry } from './zip.ts';

/** Where a pipeline's archives go, from the folder that one stands in. */
export function archivesFolder(pipeline: string): string {
  return join(ARCHIVES_FOLDER, pipeline);
}

/** @param name a name in functions/pipelines, or the path of a module */
export async function packagePipeline(name: string, manifest: Manifest): Promise<Archives> {
  return writeArchives(manifest, await bundled(await pipelineModule(name)), archivesFolder(manifest.pipeline));
}

/** The files of a pipeline's bundle for a cloud. */
export async function bundled(module: string): Promise<ZipEntry[]> {
  const outDir = await mkdtemp(join(tmpdir(), 'millrace-bundle-'));
  try {
    await bundlePipeline({ module, outDir });
    const names = (await readdir(outDir)).sort();
    return await Promise.all(names.map(async (name) => ({ name, content: await readFile(join(outDir, name)) })));
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await new Command('package')
    .description("bundle a pipeline's functions, a zip each, into dist/archives/<pipeline>")
    .argument('<pipeline>', 'a name in functions/pipelines, or the path of a module that exports a pipeline')
    .addOption(new Option('--shape <shape>').choices(SHAPES).default('functions'))
    .option('--slots <n>', 'slots of a stage', Number)
    .action(async (name: string, { shape, slots }: { shape: Shape; slots?: number }) => {
      const planned = plan(await loadPipeline(name), slots === undefined ? {} : { slots });
      const archives = await packagePipeline(name, deploymentManifest(planned, { shape }));
      for (const { path, sha256 } of Object.values(archives)) PROCESS_IO.out(`${sha256}  ${path}`);
    })
    .parseAsync();
}
