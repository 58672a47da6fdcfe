// See google-auth.ts.
import { v1 } from '@google-cloud/pubsub';

export const PublisherClient = v1.PublisherClient;
