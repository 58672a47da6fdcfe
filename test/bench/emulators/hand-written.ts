/**
 * What somebody would write by hand: one Firestore transaction a message, with a document that remembers the message. No
 * watermark, no panes, no late data; totals by airport and hour, each message once.
 */
import { Firestore } from '@google-cloud/firestore';
import { http } from '@google-cloud/functions-framework';

const firestore = new Firestore();
const HOUR = 3_600_000;

http('millrace', async (request, response) => {
  if (request.path === '/status') {
    response.status(200).json({});
    return;
  }
  const { message } = request.body;
  const { date, delay, origin } = JSON.parse(Buffer.from(message.data, 'base64').toString());
  const hour = Math.floor(Date.parse(`${date.replace(' ', 'T').replaceAll('/', '-')}Z`) / HOUR);
  const seen = firestore.doc(`hand-written/seen/messages/${message.messageId}`);
  const total = firestore.doc(`hand-written/totals/hours/${origin}-${hour}`);
  try {
    await firestore.runTransaction(async (transaction) => {
      const [known, before] = await transaction.getAll(seen, total);
      if (known!.exists) return;
      const { flights = 0, delays = 0 } = before!.data() ?? {};
      transaction.create(seen, { at: new Date() });
      transaction.set(total, { flights: flights + 1, delays: delays + delay });
    });
    response.status(204).end();
  } catch {
    response.status(503).end();
  }
});
