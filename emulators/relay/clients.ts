/** Google's low-level Pub/Sub clients, pointed at an emulator. */
import { PubSub, v1 } from '@google-cloud/pubsub';
import { ConfigurationError } from '../../functions/model/errors.ts';

/** The two clients' options are one type, but the package does not export it. */
type ClientOptions = NonNullable<ConstructorParameters<typeof v1.SubscriberClient>[0]>;

/**
 * For every call: tried once. The client's own retries would last a minute after the emulator has gone, and the relay
 * has a better way: what was not acknowledged comes again.
 */
export const ONCE = { timeout: 5_000, retry: null } as const;

export interface Clients {
  readonly subscriber: v1.SubscriberClient;
  readonly publisher: v1.PublisherClient;
  close(): Promise<void>;
}

/** @throws {ConfigurationError} when no emulator is named: the relay never reads from the real Pub/Sub */
export async function openClients(projectId: string, pubsubHost: string | undefined): Promise<Clients> {
  if (!pubsubHost) {
    throw new ConfigurationError(
      'relay: pubsubHost is not given and PUBSUB_EMULATOR_HOST is not set; start the emulator',
    );
  }
  // Google's clients otherwise look for a metadata server, and warn when there is none. They read it from here only.
  process.env.METADATA_SERVER_DETECTION ??= 'none';
  const pubsub = new PubSub({ projectId, apiEndpoint: pubsubHost, emulatorMode: true });
  const config = (await pubsub.getClientConfig()) as ClientOptions;
  const subscriber = new v1.SubscriberClient(config);
  const publisher = new v1.PublisherClient(config);
  return {
    subscriber,
    publisher,
    close: async () => {
      await Promise.all([subscriber.close(), publisher.close()]);
    },
  };
}
