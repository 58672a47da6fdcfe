/** The model server over HTTP, with the paths by which it is watched and told to misbehave. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError, messageOf } from '../../functions/model/errors.ts';
import type { VertexCounters } from './counters.ts';
import { type Answer, ApiError } from './errors.ts';
import { type FaultRule, problemOfRules } from './faults.ts';
import type { VertexOptions } from './settings.ts';
import { Vertex } from './vertex.ts';

export type { VertexCounters } from './counters.ts';
export type { Fault, FaultRule } from './faults.ts';
export { BadInstanceError, type EmbedModel, type GenerateModel, type Models, type PredictModel } from './models.ts';
export type { VertexOptions } from './settings.ts';
export { Vertex } from './vertex.ts';

export interface VertexServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, in place of `https://LOCATION-aiplatform.googleapis.com`. */
  readonly url: string;
  counters(): VertexCounters;
  setFaults(rules: readonly FaultRule[]): void;
  reset(): void;
  /** Cuts open connections. May be called again. */
  stop(): Promise<void>;
}

/**
 * @param options `port` default 0: any free one; `host` default 127.0.0.1
 * @throws {ConfigurationError} when it cannot listen there
 * @example const vertex = await startVertex({ quota: { requestsPerMinute: 600 }, seed: 7 });
 */
export async function startVertex(
  options: VertexOptions & { readonly port?: number; readonly host?: string } = {},
): Promise<VertexServer> {
  const vertex = new Vertex(options);
  const server = createServer((request, response) => {
    serve(vertex, request, response).catch(() => response.destroy());
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  }).catch((error: unknown) => {
    throw new ConfigurationError(`vertex: cannot listen on ${host}:${options.port}: ${messageOf(error)}`, {
      cause: error,
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host}:${port}`,
    counters: () => vertex.counters(),
    setFaults: (rules) => vertex.setFaults(rules),
    reset: () => vertex.reset(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(vertex: Vertex, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const body = await textOf(request);
  if (path.startsWith('/admin/')) return send(response, administer(vertex, `${request.method} ${path}`, body));
  if (request.method !== 'POST')
    return send(response, new ApiError(404, `no such path: ${request.method} ${path}`).toAnswer());
  const key = request.headers['idempotency-key'];
  const answer = await vertex.answer({ path, body, key: typeof key === 'string' ? key : undefined });
  if (answer === 'lost') request.socket.destroy();
  else send(response, answer);
}

function administer(vertex: Vertex, request: string, body: string): Answer {
  const done = { status: 200, headers: {}, body: {} };
  switch (request) {
    case 'GET /admin/counters':
      return { ...done, body: vertex.counters() };
    case 'POST /admin/reset':
      vertex.reset();
      return done;
    case 'PUT /admin/faults': {
      const rules = parsed(body);
      const problem = problemOfRules(rules);
      if (problem !== undefined) return new ApiError(400, problem).toAnswer();
      vertex.setFaults(rules as readonly FaultRule[]);
      return done;
    }
    default:
      return new ApiError(404, `no such path: ${request}`).toAnswer();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
