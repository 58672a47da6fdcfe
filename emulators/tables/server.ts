/**
 * Tables in memory behind HTTP, by the warehouse port's own rules, so that several processes of a local run share them.
 * `POST /prepare` and `/merge` take and give the port's values as JSON; `GET /tables/{name}` gives the rows.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { messageOf } from '../../functions/model/errors.ts';
import type { Row } from '../../functions/ports/warehouse.ts';

export interface TableServer {
  /** Such as `http://127.0.0.1:8123`. */
  readonly url: string;
  readonly warehouse: MemoryWarehouse;
  rows(table: string): readonly Row[];
  stop(): Promise<void>;
}

export async function startTableServer(): Promise<TableServer> {
  const warehouse = new MemoryWarehouse();
  const server = createServer((request, response) => {
    answer(warehouse, request).then(
      (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body ?? null)),
      (error: unknown) => response.writeHead(500).end(messageOf(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    warehouse,
    rows: (table) => [...warehouse.rows(table)],
    stop: () => stop(server),
  };
}

async function answer(warehouse: MemoryWarehouse, request: IncomingMessage): Promise<unknown> {
  const path = request.url ?? '/';
  if (request.method === 'GET' && path.startsWith('/tables/'))
    return [...warehouse.rows(decodeURIComponent(path.slice('/tables/'.length)))];
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString());
  switch (path) {
    case '/prepare':
      return warehouse.prepare(body);
    case '/merge':
      return warehouse.merge(body);
    default:
      throw new RangeError(`no path ${path}`);
  }
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
