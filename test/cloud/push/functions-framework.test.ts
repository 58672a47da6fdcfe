/** The golden requests through a real functions-framework server, so that its own parsing is part of the test. */
import { type Server, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cloudEvent, http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeEvent, decodePush, PushDecodeError, type PushMessage } from '../../../functions/cloud/push/index.ts';
import { asGolden, goldens } from './golden.ts';

type Outcome = { readonly message: PushMessage } | { readonly field: string };

let outcome: Outcome | undefined;
const servers: Server[] = [];

function noted(decode: () => PushMessage): void {
  try {
    outcome = { message: decode() };
  } catch (error) {
    if (!(error instanceof PushDecodeError)) throw error;
    outcome = { field: error.field };
  }
}

http('pushed', (incoming, response) => {
  noted(() => decodePush(incoming));
  response.status(204).end();
});
cloudEvent('event', (event: unknown) => noted(() => decodeEvent(event)));

async function serve(name: string): Promise<number> {
  const server = getTestServer(name);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

let pushedPort: number;
let eventPort: number;
beforeAll(async () => {
  pushedPort = await serve('pushed');
  eventPort = await serve('event');
});
afterAll(() => {
  for (const server of servers) server.close();
});

/** By node:http, which sends the headers of the golden file and no others. */
function post(port: number, body: string, headers: Record<string, string>): Promise<number> {
  outcome = undefined;
  const { connection, host, ...sent } = headers;
  const whole = { ...sent, 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const posted = request(
      { port, method: 'POST', path: '/projects/demo/topics/flights', headers: whole },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    posted.on('error', reject);
    posted.end(body);
  });
}

const sendable = goldens.filter(({ request: { body } }) => body !== undefined);

describe('an http function', () => {
  it.each(sendable.filter(({ message }) => message))('reads $name', async (golden) => {
    expect(await post(pushedPort, golden.request.body ?? '', golden.request.headers)).toBe(204);
    if (!outcome || !('message' in outcome)) throw new Error(`no message: ${JSON.stringify(outcome)}`);
    expect(asGolden(outcome.message, golden)).toEqual(golden.message);
  });

  it.each(sendable.filter(({ error }) => error))('refuses $name', async (golden) => {
    const status = await post(pushedPort, golden.request.body ?? '', golden.request.headers);
    if (golden.name === 'bad-json') {
      expect(status).toBe(400); // functions-framework refuses it before the function is called
    } else {
      expect(outcome).toEqual({ field: golden.error?.field });
    }
  });
});

describe('a cloudevent function', () => {
  const converted = ['push', 'push-emulator', 'push-without-data', 'push-emulator-without-data'];
  const events = ['eventarc-binary', 'eventarc-structured', 'eventarc-structured-base64'];

  it.each(sendable.filter(({ name }) => [...converted, ...events].includes(name)))('reads $name', async (golden) => {
    expect(await post(eventPort, golden.request.body ?? '', golden.request.headers)).toBe(204);
    if (!outcome || !('message' in outcome)) throw new Error(`no message: ${JSON.stringify(outcome)}`);
    const { subscription, ...rest } = asGolden(outcome.message, golden);
    const { subscription: _lost, ...expected } = golden.message ?? {};
    expect(rest).toEqual(expected);
  });
});
