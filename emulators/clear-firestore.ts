import { ConfigurationError, messageOf } from '../functions/model/errors.ts';

/**
 * Deletes every document of one database of the Firestore emulator; for use between tests. Production Firestore has
 * no such call, so a wrong host does no harm.
 * @param host `host:port` of the emulator
 * @throws {ConfigurationError} when the host does not answer, or is not a Firestore emulator
 */
export async function clearFirestore(host: string, projectId: string, databaseId = '(default)'): Promise<void> {
  const url = `http://${host}/emulator/v1/projects/${projectId}/databases/${databaseId}/documents`;
  const response = await fetch(url, { method: 'DELETE' }).catch((error: unknown) => {
    throw new ConfigurationError(`no Firestore emulator answers at ${host}: ${messageOf(error)}`, { cause: error });
  });
  const body = await response.text();
  if (!response.ok) {
    throw new ConfigurationError(
      `the Firestore emulator at ${host} did not clear ${projectId}: ${response.status} ${body}`,
    );
  }
}
