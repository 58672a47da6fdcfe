/** A deployed function as a process of this machine, under functions-framework, as the cloud runs it. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOCAL_VARIABLES } from '../../functions/cloud/configuration.ts';
import type { FunctionStatus } from '../../functions/cloud/service/function.ts';
import { ConfigurationError } from '../../functions/model/errors.ts';
import { type DeployedFunction, ENTRY_POINT } from '../../functions/plan/deployed-functions.ts';
import { freePort } from '../launch-probe.ts';
import { type GuardedProcess, startProcess } from '../launch-process.ts';

const FRAMEWORK = join(dirname(createRequire(import.meta.url).resolve('@google-cloud/functions-framework')), 'main.js');
const SOURCE = fileURLToPath(new URL('../../functions/main.ts', import.meta.url));
const READY_WITHIN_MILLIS = 30_000;
const LOOK_EVERY_MILLIS = 25;

export interface FunctionProcessOptions {
  /** Added to the manifest's variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** The file that functions-framework loads. Default: `functions/main.ts`, from sources. */
  readonly source?: string;
  /** Default: any free one. */
  readonly port?: number;
  readonly onOutput?: (text: string) => void;
}

export interface FunctionProcess {
  readonly id: string;
  /** Such as `http://127.0.0.1:8081`. */
  readonly url: string;
  readonly process: GuardedProcess;
  status(): Promise<FunctionStatus>;
}

/** Resolves when the function answers. @throws {ConfigurationError} with its output, when it does not */
export async function startFunctionProcess(
  deployed: Pick<DeployedFunction, 'id' | 'environment' | 'timeoutSeconds'>,
  options: FunctionProcessOptions,
): Promise<FunctionProcess> {
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const child = await startProcess(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      FRAMEWORK,
      `--target=${ENTRY_POINT}`,
      `--source=${options.source ?? SOURCE}`,
      `--port=${port}`,
    ],
    {
      env: {
        ...deployed.environment,
        [LOCAL_VARIABLES.identity]: 'none',
        [LOCAL_VARIABLES.timeout]: String(deployed.timeoutSeconds),
        NODE_ENV: 'production',
        ...options.environment,
      },
      ...(options.onOutput === undefined ? {} : { onOutput: options.onOutput }),
    },
  );
  const status = async (): Promise<FunctionStatus> => (await (await fetch(`${url}/status`)).json()) as FunctionStatus;
  await untilReady(deployed.id, child, status);
  return { id: deployed.id, url, process: child, status };
}

async function untilReady(id: string, child: GuardedProcess, status: () => Promise<unknown>): Promise<void> {
  let ended: string | undefined;
  void child.ended.then((how) => {
    ended = how;
  });
  const deadline = Date.now() + READY_WITHIN_MILLIS;
  for (;;) {
    const ready = await status().then(
      () => true,
      () => false,
    );
    if (ready) return;
    if (ended !== undefined || Date.now() > deadline) {
      await child.stop();
      throw new ConfigurationError(
        `function ${id} did not come up: ${ended ?? 'no answer'}. Its output:\n${child.output()}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MILLIS));
  }
}
