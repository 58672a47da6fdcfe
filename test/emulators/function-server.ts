import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One push as a function sees it. */
export interface SeenPush {
  // biome-ignore lint/suspicious/noExplicitAny: the body is whatever the relay sends; the tests look into it
  readonly body: any;
  /** The message's data as text. */
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds since the server was started. */
  readonly at: number;
}

export interface FunctionServer {
  readonly url: string;
  readonly port: number;
  readonly seen: readonly SeenPush[];
  /** The most pushes that were open at the same time. */
  mostOpen(): number;
  close(): Promise<void>;
}

/** A function under test: notes each push and answers what `answer` returns (a status), when it resolves. */
export async function startFunction(
  answer: (push: SeenPush) => number | Promise<number> = () => 204,
  port = 0,
): Promise<FunctionServer> {
  const seen: SeenPush[] = [];
  const started = performance.now();
  let open = 0;
  let mostOpen = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      mostOpen = Math.max(mostOpen, ++open);
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const text = Buffer.from(body.message.data ?? '', 'base64').toString();
      const push = { body, text, headers: request.headers, at: performance.now() - started };
      seen.push(push);
      const status = await answer(push);
      open--;
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}/`,
    port: bound,
    seen,
    mostOpen: () => mostOpen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
