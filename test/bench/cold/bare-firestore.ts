/** The same, with the Firestore client, which it uses once a request. */
import { http } from '@google-cloud/functions-framework';
import { openFirestore } from '../../../functions/cloud/firestore/client.ts';

const projectId = process.env['GOOGLE_CLOUD_PROJECT'] ?? '';
const client = await openFirestore({ projectId, emulatorHost: process.env['FIRESTORE_EMULATOR_HOST'] });
const database = `projects/${projectId}/databases/(default)`;

http('millrace', async (_request, response) => {
  const documents = [`${database}/documents/bare/one`];
  for await (const _ of client.batchGetDocuments({ database, documents })) break;
  response.status(204).end();
});
