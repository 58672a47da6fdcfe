/**
 * `terraform fmt -check`, `validate` and `test` over `infra/`, for every pipeline in both shapes, as far as this machine
 * goes. Without the google provider a stand-in answers with the provider's own schema (`schema-provider`, built by Go
 * from `fixtures/google-schema.json`); with neither, or without terraform, it says what was not run.
 *
 * The last line is `N passed, N failed, N skipped`. Set MILLRACE_GOOGLE_PROVIDER to a folder that holds
 * `terraform-provider-google` to check against the real one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { knownPipelines, loadPipeline } from '../../functions/cli/load-pipeline.ts';
import { overrideFiles } from '../../functions/operate/deploy/terraform-steps.ts';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import { SHAPES } from '../../functions/plan/deployed-functions.ts';
import { plan } from '../../functions/plan/plan.ts';
import { tfvars } from '../../functions/plan/tfvars.ts';
import { everything } from '../plan/everything.ts';
import { INFRA } from './hcl/files.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const results = { passed: 0, failed: 0, skipped: 0 };

function finish(): never {
  process.stdout.write(`${results.passed} passed, ${results.failed} failed, ${results.skipped} skipped\n`);
  process.exit(results.failed === 0 ? 0 : 1);
}

function has(command: string, argument: string): boolean {
  return spawnSync(command, [argument], { stdio: 'ignore' }).status === 0;
}

function skip(what: string, why: string): void {
  results.skipped += 1;
  process.stdout.write(`skipped: ${what} (${why})\n`);
}

interface Where {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

function terraform(name: string, args: readonly string[], { env, cwd }: Where): void {
  const { status, stdout, stderr } = spawnSync('terraform', [...args], {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  results[status === 0 ? 'passed' : 'failed'] += 1;
  process.stdout.write(`${status === 0 ? 'passed' : 'FAILED'}: ${name}\n`);
  if (status !== 0) process.stdout.write(`${stdout}${stderr}\n`);
}

/** A folder with a provider in it, or undefined when none can be had. */
function provider(scratch: string): string | undefined {
  const real = process.env['MILLRACE_GOOGLE_PROVIDER'];
  if (real !== undefined) return real;
  if (!has('go', 'version')) return undefined;
  const folder = join(scratch, 'provider');
  try {
    execFileSync('go', ['build', '-o', join(folder, 'terraform-provider-google'), '.'], {
      cwd: join(HERE, 'schema-provider'),
      stdio: 'pipe',
    });
    return folder;
  } catch (error) {
    process.stdout.write(`the stand-in for the provider does not build: ${String(error)}\n`);
    return undefined;
  }
}

/** The variables of each pipeline that can be deployed, in each shape. */
async function variableFiles(scratch: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const examples = await Promise.all((await knownPipelines()).map(loadPipeline));
  for (const graph of [...examples, everything])
    for (const shape of SHAPES) {
      const pipeline = graph.name;
      const variables = tfvars(deploymentManifest(plan(graph, { slots: 2 }), { shape }));
      const archives = Object.fromEntries(
        Object.keys(variables.manifest.functions).map((id) => [id, { path: `${id}.zip`, sha256: '0'.repeat(64) }]),
      );
      const path = join(scratch, `${pipeline}-${shape}.tfvars.json`);
      writeFileSync(path, JSON.stringify({ ...variables, archives }));
      files.set(`${pipeline} as ${shape}`, path);
    }
  return files;
}

/** As `millrace destroy` has it: a copy of the files with those that lift `prevent_destroy`. */
function liftedGuards(scratch: string, run: Where): Where {
  const cwd = join(scratch, 'lifted');
  cpSync(INFRA, cwd, { recursive: true });
  for (const [path, text] of overrideFiles()) writeFileSync(join(cwd, path), text);
  const env = { ...run.env, TF_DATA_DIR: join(scratch, 'lifted-data') };
  terraform('terraform get with the guards lifted', ['get'], { env, cwd });
  return { env, cwd };
}

async function main(): Promise<void> {
  if (!has('terraform', 'version')) {
    skip('terraform fmt, validate and test', 'terraform is not installed');
    return;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-terraform-'));
  try {
    const configuration = join(scratch, 'terraformrc');
    writeFileSync(configuration, '');
    const env = {
      TF_DATA_DIR: join(scratch, 'terraform'),
      TF_CLI_CONFIG_FILE: configuration,
      TF_IN_AUTOMATION: '1',
    };
    terraform('terraform fmt -check', ['fmt', '-check', '-recursive', '-diff'], { env, cwd: INFRA });
    mkdirSync(join(scratch, 'provider'));
    const folder = provider(scratch);
    if (folder === undefined) {
      skip('terraform validate and test', 'there is neither the google provider nor Go to build its stand-in');
      return;
    }
    writeFileSync(
      configuration,
      `provider_installation {\n  dev_overrides {\n    "hashicorp/google" = ${JSON.stringify(folder)}\n  }\n}\n`,
    );
    const run = { env: { ...env, GOOGLE_SCHEMA: join(HERE, 'fixtures', 'google-schema.json') }, cwd: INFRA };
    terraform('terraform get', ['get'], run);
    terraform('terraform validate', ['validate', '-no-color'], run);
    terraform('terraform validate with the guards lifted', ['validate', '-no-color'], liftedGuards(scratch, run));
    for (const [name, path] of await variableFiles(scratch))
      terraform(`terraform test: ${name}`, ['test', '-no-color', `-var-file=${path}`], run);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

await main();
finish();
