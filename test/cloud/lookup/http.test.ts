import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { httpBatchLookUp, httpLookUp } from '../../../functions/cloud/lookup/http.ts';
import { RetryableError } from '../../../functions/model/errors.ts';

let server: Server;
let base: string;
let requests: string[] = [];
let underWay = 0;
let most = 0;

/** `/v/{status}` answers with that status, `/name/{name}` with its length, `/slow` never, `/batch` with all lengths. */
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    most = Math.max(most, ++underWay);
    response.on('close', () => {
      underWay -= 1;
    });
    const [, kind, what = ''] = request.url!.split('/');
    if (kind === 'v') response.writeHead(Number(what)).end('{"why":"told to"}');
    else if (kind === 'name') setTimeout(() => response.end(JSON.stringify({ length: what.length })), 5);
    else if (kind === 'text') response.end('hello');
    else if (kind === 'batch') {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => response.end(JSON.stringify(JSON.parse(body).map((name: string) => name.length))));
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = [];
  most = 0;
});

describe('httpLookUp', () => {
  it('asks for each key, a few at a time, and gives the answers in the order of the keys', async () => {
    const client = httpLookUp<string, number>({
      request: (key) => `${base}/name/${key}`,
      answer: (json) => (json as { length: number }).length,
      concurrency: 2,
    })();
    expect(await client.get(['a', 'bb', 'ccc', 'dddd', 'eeeee'])).toEqual([1, 2, 3, 4, 5]);
    expect(requests).toHaveLength(5);
    expect(most).toBe(2);
  });

  it('404 is no answer', async () => {
    const client = httpLookUp({ request: (key) => `${base}/v/${key}` })();
    expect(await client.get([404, 200])).toEqual([undefined, { why: 'told to' }]);
  });

  for (const status of [408, 429, 500, 503])
    it(`${status} is worth another try`, async () => {
      const client = httpLookUp({ request: (key) => `${base}/v/${key}` })();
      await expect(client.get([status])).rejects.toThrow(RetryableError);
    });

  it('any other refusal is a bad answer, with the status and what was said', async () => {
    const client = httpLookUp({ request: (key) => `${base}/v/${key}` })();
    const [bad, good] = await client.get([403, 200]);
    expect(bad).toMatchObject({
      code: 'HTTP_REFUSED',
      status: 403,
      message: `GET ${base}/v/403 was answered with 403: {"why":"told to"}`,
    });
    expect(good).toEqual({ why: 'told to' });
  });

  it('what is no JSON, and what the author refuses, are bad answers', async () => {
    const text = httpLookUp({ request: () => `${base}/text` })();
    expect(await text.get(['x'])).toMatchObject([{ message: `GET ${base}/text was answered with no JSON: hello` }]);
    const refused = httpLookUp({
      request: () => `${base}/name/abc`,
      answer: () => {
        throw new Error('too short');
      },
    })();
    expect(await refused.get(['x'])).toMatchObject([{ message: 'too short' }]);
  });

  it('a key that could not be asked for now costs the others nothing', async () => {
    const client = httpLookUp({ request: (key) => `${base}/v/${key}` })();
    const [busy, good, gone] = await client.get([503, 200, 404]);
    expect(busy).toBeInstanceOf(RetryableError);
    expect([good, gone]).toEqual([{ why: 'told to' }, undefined]);
  });

  it('where as many fail as are asked for at once, the rest is not asked for', async () => {
    const client = httpLookUp({ request: (key) => `${base}/v/503/${key}`, concurrency: 2 })();
    await expect(client.get([1, 2, 3, 4, 5, 6])).rejects.toThrow(RetryableError);
    expect(requests.length).toBeLessThanOrEqual(3);
  });

  it('no answer in time, and nobody there, are worth another try', async () => {
    const slow = httpLookUp({ request: () => `${base}/slow`, timeout: 50 })();
    await expect(slow.get(['x'])).rejects.toThrow(RetryableError);
    const nobody = httpLookUp({ request: () => 'http://127.0.0.1:1/' })();
    await expect(nobody.get(['x'])).rejects.toThrow(/^GET http:\/\/127\.0\.0\.1:1\/ failed: fetch failed \(.*\)$/);
  });

  it('an address that is none is a bad answer', async () => {
    const client = httpLookUp({ request: () => 'no address' })();
    expect(await client.get(['x'])).toMatchObject([{ code: 'POISON' }]);
  });
});

describe('httpBatchLookUp', () => {
  it('asks once for all keys', async () => {
    const client = httpBatchLookUp<string, number>({
      request: (keys) => ({ url: `${base}/batch`, method: 'POST', body: JSON.stringify(keys) }),
      answers: (json) => json as number[],
    })();
    expect(await client.get(['a', 'bb'])).toEqual([1, 2]);
    expect(requests).toEqual(['POST /batch']);
  });
});
