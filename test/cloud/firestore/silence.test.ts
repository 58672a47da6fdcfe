import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FirestoreStore } from '../../../functions/cloud/firestore/store.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import { DEAD_LETTERS_BY_TIME } from '../../../functions/ports/queries.ts';

/** Takes connections and says nothing, as a server that hangs. */
let server: Server;
const sockets = new Set<Socket>();
let store: FirestoreStore;

beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const emulatorHost = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  store = new FirestoreStore({ projectId: 'demo', pipeline: 'p', emulatorHost, timeoutMillis: 500 });
});
afterEach(async () => {
  await store.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

// Two more tries, with pauses between them, would take above four seconds.
it.each([
  ['a read', () => store.get('roots', ['a'])],
  ['a query', () => store.query(DEAD_LETTERS_BY_TIME, { status: 'dead' }, { limit: 1 })],
  ['a commit', () => store.commit({ preconditions: [], sets: [], deletes: [{ collection: 'roots', id: 'a' }] })],
])('%s of a server that says nothing is tried once, and given up in time', async (_, call) => {
  const begun = performance.now();
  await expect(call()).rejects.toThrow(RetryableError);
  expect(performance.now() - begun).toBeLessThan(3_000);
});
