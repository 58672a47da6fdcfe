/** What the sink sends: its own adapter on Google's client, and behind it a server that writes down and says "done". */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { BigQueryWarehouse } from '../../functions/cloud/bigquery/warehouse.ts';
import { SYSTEM_CLOCK } from '../../functions/local/system.ts';
import type { Row, TableSpec } from '../../functions/ports/warehouse.ts';

export interface SentStatement {
  readonly sql: string;
  readonly parameters: readonly { readonly name: string; readonly type: string; readonly value: string }[];
}

interface JobRequest {
  readonly configuration: {
    readonly query: {
      readonly query: string;
      readonly queryParameters: readonly {
        readonly name: string;
        readonly parameterType: { readonly type: string };
        readonly parameterValue: { readonly value: string };
      }[];
    };
  };
  readonly jobReference: object;
}

/** The statement with which rows of a table are written. */
export async function sentStatement(table: TableSpec, rows: readonly Row[]): Promise<SentStatement> {
  const sent: SentStatement[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    let jobReference: object = { projectId: 'project', jobId: 'job' };
    if (request.method === 'POST') {
      const job = JSON.parse(body) as JobRequest;
      jobReference = job.jobReference;
      const { query, queryParameters } = job.configuration.query;
      sent.push({
        sql: query,
        parameters: queryParameters.map(({ name, parameterType, parameterValue }) => ({
          name,
          type: parameterType.type,
          value: parameterValue.value,
        })),
      });
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jobReference, status: { state: 'DONE' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const warehouse = new BigQueryWarehouse({
      projectId: 'project',
      dataset: 'dataset',
      apiEndpoint: `http://127.0.0.1:${port}`,
      clock: SYSTEM_CLOCK,
    });
    const outcome = await warehouse.merge({ id: 'job', table, rows });
    if (outcome.state !== 'done' || sent.length !== 1)
      throw new Error(`${JSON.stringify(outcome)}: ${sent.length} jobs`);
    return sent[0]!;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
