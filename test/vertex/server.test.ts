import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { readCommandLine } from '../../emulators/vertex/options.ts';
import { startVertex, type VertexServer } from '../../emulators/vertex/server.ts';

const PREDICT = '/v1/projects/p/locations/us-central1/endpoints/categories:predict';
const MAIN = fileURLToPath(new URL('../../emulators/vertex/main.ts', import.meta.url));
const one = JSON.stringify({ instances: [{ merchant: 'City Taxi' }] });

const running: VertexServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

async function started(...args: Parameters<typeof startVertex>): Promise<VertexServer> {
  const server = await startVertex(...args);
  running.push(server);
  return server;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by the tests
const jsonOf = async (response: Response): Promise<any> => response.json();
const post = (url: string, body = one, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers });

describe('the model server over HTTP', () => {
  it('answers as Vertex AI does, and reads the idempotency key', async () => {
    const server = await started();
    const response = await post(`${server.url}${PREDICT}?alt=json`, one, { 'idempotency-key': 'batch-7' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect((await jsonOf(response)).predictions[0].category).toBe('travel');
    expect(server.counters().byKey).toEqual({ 'batch-7': { calls: 1, served: 1 } });
  });

  it('sends Retry-After with its 429', async () => {
    const server = await started({ quota: { requestsPerMinute: 6, burst: 1 } });
    await post(server.url + PREDICT);
    const refused = await post(server.url + PREDICT);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(9);
    expect((await jsonOf(refused)).error.status).toBe('RESOURCE_EXHAUSTED');
  });

  it('cuts the connection of a lost answer after the work', async () => {
    const server = await started({ faults: [{ fault: { kind: 'lost' } }] });
    await expect(post(server.url + PREDICT)).rejects.toThrow('fetch failed');
    expect(server.counters()).toMatchObject({ served: 1, lost: 1, byStatus: {} });
  });

  it('is watched and told to misbehave while it runs', async () => {
    const server = await started();
    const admin = (method: string, path: string, body?: string) =>
      fetch(`${server.url}/admin/${path}`, { method, ...(body === undefined ? {} : { body }) });
    const rules = JSON.stringify([{ fault: { kind: 'status', status: 503 } }]);
    expect((await admin('PUT', 'faults', rules)).status).toBe(200);
    expect((await post(server.url + PREDICT)).status).toBe(503);
    expect(await (await admin('GET', 'counters')).json()).toEqual(server.counters());
    expect(server.counters().calls).toBe(1);
    expect((await admin('POST', 'reset')).status).toBe(200);
    expect(server.counters().calls).toBe(0);
    expect((await admin('PUT', 'faults', '[]')).status).toBe(200);
    expect((await post(server.url + PREDICT)).status).toBe(200);
  });

  it.each([
    ['nonsense', 'rules: expected a list'],
    ['[{"fault":{"kind":"lost"}},{}]', 'rules[1].fault.kind: expected status, slow, lost or partial, got undefined'],
    ['[{"fault":{"kind":"lost"},"share":2}]', 'rules[0].share: expected a number from 0 to 1, got 2'],
    ['[{"fault":{"kind":"partial","keep":1}}]', 'rules[0].fault.keep: expected a share from 0 to below 1'],
    ['[{"fault":{"kind":"status","status":200}}]', 'rules[0].fault.status: expected a number from 400 up'],
  ])('refuses the fault rules %s', async (body, message) => {
    const server = await started();
    const response = await fetch(`${server.url}/admin/faults`, { method: 'PUT', body });
    expect(response.status).toBe(400);
    expect((await jsonOf(response)).error.message).toBe(message);
  });

  it('answers 404 to what it does not have', async () => {
    const server = await started();
    expect((await fetch(server.url + PREDICT)).status).toBe(404);
    expect((await post(`${server.url}/admin/nothing`)).status).toBe(404);
    expect((await post(`${server.url}/v1/nothing`)).status).toBe(404);
  });

  it('says so when its port is taken', async () => {
    const server = await started();
    await expect(startVertex({ port: server.port })).rejects.toThrow(`cannot listen on 127.0.0.1:${server.port}`);
  });
});

describe('its command line', () => {
  it('turns flags into options', async () => {
    const line = await readCommandLine(
      '--port 0 --rpm 600 --burst 5 --no-retry-after --seed 9 --work 30 --unavailable 0.1 --lost 0.2 --slow 0.3:5000 --bad oops'.split(
        ' ',
      ),
    );
    if (line.help) throw new Error('help was not asked for');
    const { isBad, ...options } = line.options;
    expect(line.port).toBe(0);
    expect(options).toEqual({
      quota: { requestsPerMinute: 600, burst: 5, retryAfter: false },
      seed: 9,
      workMillis: 30,
      faults: [
        { fault: { kind: 'status', status: 503 }, share: 0.1 },
        { fault: { kind: 'lost' }, share: 0.2 },
        { fault: { kind: 'slow', millis: 5_000 }, share: 0.3 },
      ],
    });
    expect(isBad?.({ text: 'an oops' })).toBe(true);
    expect(isBad?.({ text: 'fine' })).toBe(false);
  });

  it('listens on 8090 without faults unless told otherwise', async () => {
    expect(await readCommandLine([])).toEqual({
      help: false,
      port: 8_090,
      host: '127.0.0.1',
      options: { faults: [] },
    });
  });

  it('tells all that is wrong at once', async () => {
    await expect(
      readCommandLine(['--port', '70000', '--rpm', 'many', '--lost', '2', '--slow', '0.1', '--faults', 'no-such-file']),
    ).rejects.toThrow(
      [
        '5 problems:',
        "- --rpm: expected 0 or more, got 'many'",
        "- --slow: expected 0 or more, got ''",
        "- --faults no-such-file: ENOENT: no such file or directory, open 'no-such-file'",
        "- --lost: expected a number from 0 to 1, got '2'",
        "- --port: expected a number from 0 to 65535, got '70000'",
      ].join('\n'),
    );
    await expect(readCommandLine(['--burst', '3'])).rejects.toThrow('--burst: needs --rpm');
    await expect(readCommandLine(['--nonsense'])).rejects.toThrow(/--nonsense.*Try --help/s);
  });

  it('starts a server with rules and models from files, and ends on SIGTERM', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vertex-'));
    const faults = join(folder, 'faults.json');
    const models = join(folder, 'models.mjs');
    writeFileSync(faults, '[{"fault":{"kind":"status","status":503},"calls":{"to":1}}]');
    writeFileSync(models, "export default { predict: { '*': (instance) => instance.n + 1 } };");
    const args = [MAIN, '--port', '0', '--faults', faults, '--models', models];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = await once(child.stdout, 'data');
      const url = /^vertex: listening at (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(String(line))?.[1];
      expect((await post(url + PREDICT, '{"instances":[{"n":1}]}')).status).toBe(503);
      const answer = await jsonOf(await post(url + PREDICT, '{"instances":[{"n":1}]}'));
      expect(answer.predictions).toEqual([2]);
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    }
  });

  it('explains itself, and ends with 1 when it cannot start', async () => {
    const run = async (flag: string) => {
      const child = spawn(process.execPath, [MAIN, flag], { stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      const [code] = await once(child, 'close');
      return { code, output };
    };
    const help = await run('--help');
    expect(help.code).toBe(0);
    expect(help.output).toContain('--rpm N');
    const failed = await run('--rpm=x');
    expect(failed).toEqual({
      code: 1,
      output: "vertex: --rpm: expected 0 or more, got 'x'\n",
    });
  });
});
