/** HTTP in front of the routes: reads, answers, and turns every error into BigQuery's form. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ApiError, toApiError } from '../api-error.ts';
import type { Engine } from '../jobs/engine.ts';
import type { JobService } from '../jobs/job-service.ts';
import type { Streamer } from '../streaming/insert-all.ts';
import { adminRoutes } from './admin.ts';
import { readBody } from './body.ts';
import { datasetRoutes } from './datasets.ts';
import { jobRoutes } from './jobs.ts';
import type { ApiAnswer } from './request.ts';
import { Router } from './router.ts';
import { tableDataRoutes } from './tabledata.ts';
import { tableRoutes } from './tables.ts';

/** Paths of the API itself, which troubles strike; the server's own never fail. */
function isApi(pathname: string): boolean {
  return !pathname.startsWith('/emulator/');
}

async function handle(message: IncomingMessage, router: Router, engine: Engine): Promise<ApiAnswer> {
  const origin = `http://${message.headers.host ?? 'localhost'}`;
  const url = new URL(message.url ?? '/', origin);
  const method = message.headers['x-http-method-override'];
  const { handler, params } = router.find(
    typeof method === 'string' ? method.toUpperCase() : (message.method ?? 'GET'),
    url.pathname,
  );
  const body = await readBody(message);
  if (isApi(url.pathname) && engine.troubles.strikes('unavailable'))
    throw new ApiError('backendError', 'The service is currently unavailable. Please try again.');
  const ifMatch = message.headers['if-match'];
  return handler({ method: message.method ?? 'GET', params, query: url.searchParams, body, ifMatch, origin });
}

function send(response: ServerResponse, { status, body }: ApiAnswer, pretty: boolean): void {
  const text = body === undefined ? '' : JSON.stringify(body, null, pretty ? 2 : undefined);
  // A body that was refused may not be at its end: the connection is not used again.
  if (status === 413) response.setHeader('connection', 'close');
  response.writeHead(status, {
    'content-type': 'application/json; charset=UTF-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  router: Router,
  engine: Engine,
): Promise<void> {
  const pretty = message.url?.includes('prettyPrint=true') ?? false;
  let result: ApiAnswer;
  try {
    result = await handle(message, router, engine);
  } catch (error) {
    const problem = toApiError(error);
    result = { status: problem.status, body: problem.toBody() };
  }
  if (result.lost) {
    message.socket.destroy();
    return;
  }
  // What of a refused body is still to come is read away, so that the client gets to see the answer.
  message.resume();
  send(response, result, pretty);
}

export function createApiServer(engine: Engine, jobs: JobService, streamer: Streamer): Server {
  const router = new Router([
    ...adminRoutes(engine, jobs),
    ...datasetRoutes(engine.catalog),
    ...tableRoutes(engine),
    ...tableDataRoutes(engine, streamer),
    ...jobRoutes(engine, jobs),
  ]);
  const server = createServer((message, response) => {
    response.on('error', () => undefined);
    answer(message, response, router, engine).catch(() => message.socket.destroy());
  });
  server.keepAliveTimeout = 60_000;
  return server;
}
