import { describe, expect, it } from 'vitest';
import { type PushMessage, PushIdentityError, pushVerifier } from '../../../functions/cloud/push/index.ts';
import { Log } from '../../../functions/cloud/service/log.ts';
import {
  type FunctionRequest,
  type Route,
  Router,
  type RouterSetting,
} from '../../../functions/cloud/service/router.ts';
import { VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { ConfigurationError, RetryableError } from '../../../functions/model/errors.ts';
import { epochMillis } from '../../../functions/model/time.ts';

interface Answered {
  status: number | undefined;
  body: unknown;
}

function rig(route: Route, more: Partial<RouterSetting> = {}) {
  const clock = new VirtualClock(epochMillis(0));
  const lines: Record<string, unknown>[] = [];
  const router = new Router({
    routes: new Map([['/stages/count', route]]),
    verify: pushVerifier({ mode: 'none' }, { clock, env: {} }),
    clock,
    log: new Log('words', 'my-project', (line) => lines.push(JSON.parse(line))),
    answerWithin: 1_000,
    ...more,
  });
  const send = (request: Partial<FunctionRequest> = {}): Answered & { done: Promise<void> } => {
    const answered: Answered = { status: undefined, body: undefined };
    const end = (body?: unknown) => {
      answered.body = body;
    };
    const done = router.handle(
      {
        method: 'POST',
        path: '/stages/count',
        headers: { 'content-type': 'application/json' },
        body: PUSH,
        ...request,
      },
      {
        status: (code) => {
          answered.status = code;
          return { json: end, end };
        },
      },
    );
    return Object.assign(answered, { done });
  };
  return { router, clock, lines, send };
}

const PUSH = { subscription: 'projects/p/subscriptions/s', message: { messageId: '7', data: 'aGVsbG8=' } };

/** A push route whose work ends when the test says so. */
function gate() {
  const taken: PushMessage[] = [];
  let open: () => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const until = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  const route: Route = {
    kind: 'push',
    take: (message) => {
      taken.push(message);
      return until;
    },
  };
  return { route, taken, open: () => open(), fail: (error: unknown) => fail(error) };
}

const throwing = (error: unknown): Route => ({ kind: 'push', take: () => Promise.reject(error) });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a push', () => {
  it('is acknowledged when its work is done, and not before', async () => {
    const { route, taken, open } = gate();
    const { send } = rig(route);
    const answer = send();
    await turn();
    expect([taken[0]?.messageId, taken[0]?.data.toString(), answer.status]).toEqual(['7', 'hello', undefined]);
    open();
    await answer.done;
    expect(answer).toMatchObject({ status: 204, body: undefined });
  });

  it.each([
    ['may be tried again', new RetryableError('the store is down'), 503, 'WARNING'],
    ['cannot work', new ConfigurationError('no such table'), 500, 'ERROR'],
    ['threw what is no error', 'oops', 500, 'ERROR'],
  ])('whose work %s is refused, with a line in the log', async (_, error, status, severity) => {
    const { send, lines } = rig(throwing(error));
    const answer = send({ headers: { 'x-cloud-trace-context': `${'ab'.repeat(16)}/123;o=1` } });
    await answer.done;
    expect(answer.status).toBe(status);
    expect(lines).toMatchObject([
      { severity, pipeline: 'words', 'logging.googleapis.com/trace': `projects/my-project/traces/${'ab'.repeat(16)}` },
    ]);
  });

  it('that is none is a bad request', async () => {
    const { send } = rig(gate().route);
    const answer = send({ body: { hello: 1 } });
    await answer.done;
    expect(answer.status).toBe(400);
  });

  it('to an unknown path is not found', async () => {
    const { send } = rig(gate().route);
    const answer = send({ path: '/stages/other' });
    await answer.done;
    expect(answer.status).toBe(404);
  });
});

it('a call answers with what it found', async () => {
  const { send } = rig({ kind: 'call', call: async () => ({ ticks: 3 }) });
  const answer = send({ body: undefined });
  await answer.done;
  expect(answer).toMatchObject({ status: 200, body: { ticks: 3 } });
});

describe('a stranger', () => {
  it('is refused before the body is looked at', async () => {
    const { route, taken } = gate();
    const verify = () => Promise.reject(new PushIdentityError(403, 'not you'));
    const { send } = rig(route, { verify });
    const answer = send({ body: 'no push at all' });
    await answer.done;
    expect([answer.status, taken]).toEqual([403, []]);
  });

  it('is told to come back while it cannot be known who it is', async () => {
    const verify = () => Promise.reject(new RetryableError('no certificates'));
    const { send } = rig(gate().route, { verify });
    const answer = send();
    await answer.done;
    expect(answer.status).toBe(503);
  });
});

describe('time and room', () => {
  it('a request whose work takes too long is answered all the same, and the work goes on', async () => {
    const { route, open } = gate();
    const { send, clock, lines } = rig(route);
    const answer = send();
    await turn();
    clock.advanceTo(epochMillis(999));
    await turn();
    expect(answer.status).toBeUndefined();
    clock.advanceTo(epochMillis(1_000));
    await answer.done;
    expect(answer.status).toBe(503);
    expect(lines).toMatchObject([{ severity: 'WARNING', message: '/stages/count was not answered in time' }]);
    open();
  });

  it('work that fails after its answer does nothing more', async () => {
    const { route, fail } = gate();
    const { send, clock } = rig(route);
    const answer = send();
    await turn();
    clock.advanceTo(epochMillis(1_000));
    await answer.done;
    fail(new Error('too late'));
    await turn();
    expect(answer.status).toBe(503);
  });

  it('requests beyond the bound are told to come later, and let in when there is room', async () => {
    const { route, open } = gate();
    const { send } = rig(route, { limits: { requests: 2, bytes: 1_000_000 } });
    const [first, second, third] = [send(), send(), send()];
    await third.done;
    expect([first.status, second.status, third.status]).toEqual([undefined, undefined, 429]);
    open();
    await Promise.all([first.done, second.done]);
    const fourth = send();
    await fourth.done;
    expect([first.status, second.status, fourth.status]).toEqual([204, 204, 204]);
  });

  it('bytes beyond the bound too; but one request alone always has room', async () => {
    const { route, open } = gate();
    const { send } = rig(route, { limits: { requests: 100, bytes: 10 } });
    const large = send({ rawBody: new Uint8Array(50) });
    const small = send({ rawBody: new Uint8Array(1) });
    await small.done;
    expect([large.status, small.status]).toEqual([undefined, 429]);
    open();
    await large.done;
    expect(large.status).toBe(204);
  });

  it('while draining nothing is let in, and it has drained when the last one is answered', async () => {
    const { route, open } = gate();
    const { router, send } = rig(route);
    const before = send();
    await turn();
    let drained = false;
    const draining = router.drain().then(() => {
      drained = true;
    });
    const after = send();
    await after.done;
    expect([after.status, drained]).toEqual([503, false]);
    open();
    await before.done;
    await draining;
    expect(before.status).toBe(204);
  });

  it('what is idle drains at once', async () => {
    const { router } = rig(gate().route);
    await router.drain();
  });
});
