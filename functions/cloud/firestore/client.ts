/** The Firestore client, loaded and connected with the first call, so that who needs no store does not pay for it. */
import type { FirestoreClient } from '@google-cloud/firestore-api/client_v1';
import { ConfigurationError, messageOf } from '../../model/errors.ts';
import { emulatorAddress } from '../emulator-address.ts';

export type { FirestoreClient } from '@google-cloud/firestore-api/client_v1';

export interface FirestoreSetting {
  readonly projectId: string;
  /** Default `(default)`. */
  readonly databaseId?: string;
  /** `host:port` of an emulator; absent: Google's own. */
  readonly emulatorHost?: string | undefined;
}

/**
 * We use the generated client, not the hand-written one around it: a batch of that one cannot set a document under a
 * precondition, and its own retries would stand between a lost answer and the engine, which recognises it by a nonce.
 * @throws {ConfigurationError} when there are no credentials; the client's own first call would end the process instead
 */
export async function openFirestore({ projectId, emulatorHost }: FirestoreSetting): Promise<FirestoreClient> {
  const { FirestoreClient } = await import('../clients/firestore.ts');
  const emulator = emulatorHost === undefined ? {} : await emulatorAddress(emulatorHost);
  const client = new FirestoreClient({ projectId, ...emulator });
  try {
    await client.initialize();
  } catch (cause) {
    const [reason] = messageOf(cause).split('\n');
    throw new ConfigurationError(
      `there are no credentials for Google Cloud here (${reason}); get some with: gcloud auth application-default login`,
      { cause },
    );
  }
  return client;
}
