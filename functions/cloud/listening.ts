import { connect } from 'node:net';

/** A server on this machine answers at once or not at all; milliseconds. */
const PATIENCE = 2_000;

/** Why nobody listens at `host:port`; undefined when somebody does. Google's clients take long to say so. */
export function whyNotListening(host: string): Promise<string | undefined> {
  const at = host.lastIndexOf(':');
  return new Promise((resolve) => {
    const socket = connect({ host: host.slice(0, at), port: Number(host.slice(at + 1)), timeout: PATIENCE });
    const answer = (reason: string | undefined) => (): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.once('connect', answer(undefined));
    socket.once('timeout', answer(`no answer within ${PATIENCE} ms`));
    socket.once('error', (error) => answer(error.message)());
  });
}
