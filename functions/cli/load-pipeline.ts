import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { LocalModel } from '../local/memory-predictor.ts';
import { ConfigurationError, MillraceError, messageOf } from '../model/errors.ts';
import type { Graph } from '../model/graph.ts';

const PIPELINES = fileURLToPath(new URL('../pipelines/', import.meta.url));
const EXTENSIONS = ['.ts', '.js', '.mjs'];

/**
 * Loads a pipeline by the name of its file in `functions/pipelines`, or by a path.
 * @throws {ConfigurationError} when there is none, or its module does not export one by default
 */
export async function loadPipeline(name: string): Promise<Graph> {
  const { path, exports } = await loadModule(name);
  if (!isGraph(exports['default']))
    throw new ConfigurationError(
      `${path} does not export a pipeline; write: export default pipeline('name', (p) => { … })`,
    );
  return exports['default'];
}

/** The model with which a pipeline's module runs where Vertex AI is not reached: what it exports as `localModel`, if it does. */
export async function loadLocalModel(name: string): Promise<LocalModel | undefined> {
  const { localModel } = (await loadModule(name)).exports;
  return typeof localModel === 'function' ? (localModel as LocalModel) : undefined;
}

/**
 * The file of a pipeline's module, by the same names as `loadPipeline`.
 * @throws {ConfigurationError} when there is none
 */
export async function pipelineModule(name: string): Promise<string> {
  const path = EXTENSIONS.some((extension) => name.endsWith(extension)) ? resolve(name) : `${PIPELINES}${name}.ts`;
  if (!/^[A-Za-z0-9/._~ -]+$/.test(name) || !existsSync(path))
    throw new ConfigurationError(
      `there is no pipeline '${name}'; known are ${(await knownPipelines()).join(', ')}, or give a path such as ./my-pipeline.ts`,
    );
  return path;
}

async function loadModule(name: string): Promise<{ path: string; exports: Record<string, unknown> }> {
  const path = await pipelineModule(name);
  try {
    return { path, exports: (await import(pathToFileURL(path).href)) as Record<string, unknown> };
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw new ConfigurationError(`${path} cannot be loaded${placeOf(error)}: ${messageOf(error)}${hintFor(error)}`, {
      cause: error,
    });
  }
}

/** The line of a module at which loading ended, where the stack names one. */
function placeOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place = stack.match(/(?:file:\/\/)?(\/[^\s():]+\.(?:ts|js|mjs)):(\d+)/);
  return place === null ? '' : ` (${place[1]}:${place[2]})`;
}

function hintFor(error: unknown): string {
  return messageOf(error).includes('does not provide an export named') ? '; a type is imported by import type' : '';
}

export async function knownPipelines(): Promise<string[]> {
  const files = await readdir(PIPELINES);
  return files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
}

function isGraph(value: unknown): value is Graph {
  const graph = value as Graph | undefined;
  return typeof graph?.name === 'string' && Array.isArray(graph.nodes);
}
