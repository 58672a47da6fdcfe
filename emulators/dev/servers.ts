/** The local BigQuery server in a process of its own, with the pipeline's dataset. */
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../../functions/model/errors.ts';
import { startProcess } from '../launch-process.ts';

const MAIN = fileURLToPath(new URL('../bigquery/main.ts', import.meta.url));
const LISTENING = /BIGQUERY_EMULATOR_HOST=(http:\/\/\S+)/;
const READY_WITHIN_MILLIS = 30_000;

export interface BigQueryProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws {ConfigurationError} with its output, when it does not come up */
export async function startBigQueryProcess(projectId: string, dataset: string): Promise<BigQueryProcess> {
  let heard: (url: string) => void = () => {};
  const url = new Promise<string>((resolve) => {
    heard = resolve;
  });
  const child = await startProcess(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, '--port', '0'], {
    onOutput: () => {
      const found = LISTENING.exec(child.output())?.[1];
      if (found !== undefined) heard(found);
    },
  });
  const timer = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), READY_WITHIN_MILLIS).unref());
  const ready = await Promise.race([url, child.ended.then(() => undefined), timer]);
  if (ready === undefined) {
    await child.stop();
    throw new ConfigurationError(`the BigQuery server did not come up. Its output:\n${child.output()}`);
  }
  const answer = await fetch(`${ready}/bigquery/v2/projects/${projectId}/datasets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ datasetReference: { projectId, datasetId: dataset } }),
  });
  if (!answer.ok) {
    await child.stop();
    throw new ConfigurationError(`the BigQuery server did not make dataset ${dataset}: ${await answer.text()}`);
  }
  return { url: ready, stop: () => child.stop() };
}
