/**
 * Deliveries switched off and on. Pausing takes the push endpoints off the subscriptions of a stage's slots, which then keep
 * what comes; resuming puts the very same ones back. On the emulators a relay pushes, and obeys the pipeline's control
 * documents; what is decided there is enough.
 */
import type { protos, v1 } from '@google-cloud/pubsub';
import { ConfigurationError } from '../../model/errors.ts';
import { sourceSubscription, stageTopic } from '../../plan/resource-names.ts';
import type { Delivery, Subscriptions } from '../../ports/subscriptions.ts';
import { emulatorAddress } from '../emulator-address.ts';
import { classifyGrpc, GRPC, grpcCode } from '../grpc-errors.ts';
import type { PubSubSetting } from './publisher.ts';

type PushConfig = protos.google.pubsub.v1.IPushConfig;
/** What each subscription of a delivery pushed to, by name. */
type Noted = Readonly<Record<string, PushConfig>>;

export interface SubscriptionsSetting extends PubSubSetting {
  readonly pipeline: string;
  /** The slots of a stage. */
  readonly slotsOf: (stage: string) => number;
}

const DEFAULT_TIMEOUT = 20_000;

export class PubSubSubscriptions implements Subscriptions {
  readonly #setting: SubscriptionsSetting;
  #client: Promise<v1.SubscriberClient> | undefined;

  constructor(setting: SubscriptionsSetting) {
    this.#setting = setting;
  }

  /**
   * A source's may be off already: what reads after a drain is deployed anew, with its endpoint. A slot that a deployment has not
   * made yet, or has removed, gets nothing anyway.
   * @throws {ConfigurationError} when no subscription is there, or a stage's has no endpoint and none is noted
   */
  async note(delivery: Delivery, noted?: unknown): Promise<Noted> {
    const found: Record<string, PushConfig> = { ...(noted as Noted | undefined) };
    const comesBack = delivery.kind === 'stage' && this.#setting.emulatorHost === undefined;
    const names = this.#namesOf(delivery);
    let there = 0;
    for (const name of names) {
      const pushConfig = await this.#pushConfigOf(name);
      if (pushConfig === undefined) continue;
      there += 1;
      // A deployment may have given it another one since.
      if (pushConfig.pushEndpoint) found[name] = pushConfig;
      else if (comesBack && !found[name]?.pushEndpoint)
        throw new ConfigurationError(
          `subscription '${name}' pushes to nobody, and it is not noted where to; deploy again, which sets it`,
        );
    }
    if (there === 0)
      throw new ConfigurationError(
        `Pub/Sub: there is no subscription '${names[0] ?? delivery.id}' in project '${this.#setting.projectId}'; deploy it`,
      );
    return found;
  }

  async pause(delivery: Delivery, noted?: unknown): Promise<void> {
    for (const name of this.#namesOf(delivery)) {
      if (noted !== undefined && (noted as Noted)[name] === undefined) continue;
      if ((await this.#pushConfigOf(name))?.pushEndpoint) await this.#push(name, {});
    }
  }

  /** What pushes already stays as it is, since a deployment may have set it anew; of a slot that is gone nothing is asked. */
  async resume(delivery: Delivery, noted: unknown): Promise<void> {
    const before = (noted ?? {}) as Noted;
    for (const name of this.#namesOf(delivery)) {
      const pushConfig = before[name];
      if (!pushConfig?.pushEndpoint) continue;
      const now = await this.#pushConfigOf(name);
      if (now !== undefined && !now.pushEndpoint) await this.#push(name, pushConfig);
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await (await client)?.close();
  }

  /** Undefined where there is no such subscription. */
  async #pushConfigOf(name: string): Promise<PushConfig | undefined> {
    const subscription = this.#path(name);
    try {
      const [{ pushConfig }] = await this.#ask(name, (client, options) =>
        client.getSubscription({ subscription }, options),
      );
      return pushConfig ?? {};
    } catch (error) {
      if (grpcCode((error as Error).cause) === GRPC.notFound) return undefined;
      throw error;
    }
  }

  async #push(name: string, pushConfig: PushConfig): Promise<void> {
    const subscription = this.#path(name);
    await this.#ask(name, (client, options) => client.modifyPushConfig({ subscription, pushConfig }, options));
  }

  #namesOf({ kind, id }: Delivery): string[] {
    const { pipeline, slotsOf } = this.#setting;
    if (kind === 'source') return [sourceSubscription(pipeline, id)];
    return Array.from({ length: slotsOf(id) }, (_, slot) => stageTopic(pipeline, id, slot));
  }

  #path(name: string): string {
    return `projects/${this.#setting.projectId}/subscriptions/${name}`;
  }

  async #ask<T>(
    name: string,
    call: (client: v1.SubscriberClient, options: { timeout: number; retry: null }) => Promise<T>,
  ): Promise<T> {
    const { timeoutMillis = DEFAULT_TIMEOUT } = this.#setting;
    try {
      this.#client ??= openSubscriber(this.#setting);
      return await call(await this.#client, { timeout: timeoutMillis, retry: null });
    } catch (error) {
      throw classifyGrpc(error, `Pub/Sub: subscription ${name}`);
    }
  }
}

async function openSubscriber({ projectId, emulatorHost }: PubSubSetting): Promise<v1.SubscriberClient> {
  const { v1 } = await import('@google-cloud/pubsub');
  const emulator = emulatorHost === undefined ? {} : await emulatorAddress(emulatorHost);
  return new v1.SubscriberClient({ projectId, ...emulator });
}
