/** The same, with the Firestore and the Pub/Sub client, both of which it uses once a request. */
import { http } from '@google-cloud/functions-framework';
import { openFirestore } from '../../../functions/cloud/firestore/client.ts';
import { openPublisher } from '../../../functions/cloud/pubsub/publisher.ts';

const projectId = process.env['GOOGLE_CLOUD_PROJECT'] ?? '';
const client = await openFirestore({ projectId, emulatorHost: process.env['FIRESTORE_EMULATOR_HOST'] });
const publisher = await openPublisher({ projectId, emulatorHost: process.env['PUBSUB_EMULATOR_HOST'] });
const database = `projects/${projectId}/databases/(default)`;

http('millrace', async (_request, response) => {
  const name = `${database}/documents/bare/${process.pid}`;
  await client.commit({ database, writes: [{ update: { name, fields: { body: { stringValue: '1' } } } }] });
  const topic = `projects/${projectId}/topics/millrace-flights--delays--0`;
  await publisher.publish({ topic, messages: [{ data: Buffer.from('1') }] });
  response.status(204).end();
});
