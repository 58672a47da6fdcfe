/** `npm run bigquery -- --port 9050 [--data file.duckdb]`: the local BigQuery server in a process of its own. */
import { parseArgs } from 'node:util';
import { readTroubles } from './troubles.ts';
import { startBigQuery } from './start.ts';

const USAGE = `Usage: npm run bigquery -- [options]
  --port N          port to listen on (default 9050; 0 takes a free one)
  --host ADDRESS    address to listen on (default 127.0.0.1)
  --data FILE       DuckDB file to keep data in (default: memory only)
  --memory SIZE     memory that DuckDB may use (default 4GB)
  --troubles JSON   trouble to make, e.g. '{"lostAnswers":{"probability":0.1}}'
  --seed N          what chance in troubles starts from (default 1)
  --help            this text`;

function wholeNumber(text: string | undefined, name: string, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new Error(`Expected --${name} to be a whole number from 0 up, got ${text}`);
  return value;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      memory: { type: 'string' },
      troubles: { type: 'string' },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const server = await startBigQuery({
    port: wholeNumber(values.port, 'port', 9050),
    seed: wholeNumber(values.seed, 'seed', 1),
    ...(values.host !== undefined && { host: values.host }),
    ...(values.data !== undefined && { data: values.data }),
    ...(values.memory !== undefined && { memoryLimit: values.memory }),
    ...(values.troubles !== undefined && { troubles: readTroubles(JSON.parse(values.troubles)) }),
  });
  console.log(
    `BigQuery is listening on ${server.url}${values.data === undefined ? ' (in memory)' : ` (${values.data})`}`,
  );
  console.log(`  BIGQUERY_EMULATOR_HOST=${server.url}`);
  const stop = () => {
    server.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // A mistake of this server must not take other people's data away: it is told, and the server goes on.
  process.on('uncaughtException', (error) => console.error('Unexpected error:', error));
  process.on('unhandledRejection', (error) => console.error('Unexpected rejection:', error));
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  console.error(USAGE);
  process.exitCode = 1;
}
