/** A functions-framework function that does nothing but answer. */
import { http } from '@google-cloud/functions-framework';

http('millrace', (_request, response) => {
  response.status(204).end();
});
