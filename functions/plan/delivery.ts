/**
 * The topics and subscriptions of a deployed pipeline. Invariant: a function's timeout is below the acknowledgement
 * deadline of what pushes to it, or a message would run twice at once; every dead-letter topic has a subscription.
 */
import { ConfigurationError } from '../model/errors.ts';
import { type DeployedFunction, type Served, slotsOf } from './deployed-functions.ts';
import type { Plan } from './plan.ts';
import { deadLetterTopic, sourceSubscription, stageTopic, undeliveredTopic } from './resource-names.ts';

export interface ManifestTopic {
  readonly name: string;
  /** `stage`: envelopes to a slot. `source` and `sink` are the world's: they may exist already. */
  readonly kind: 'stage' | 'source' | 'sink' | 'deadLetters' | 'undelivered';
}

export interface ManifestSubscription {
  readonly name: string;
  readonly topic: string;
  readonly kind: 'stage' | 'source' | 'deadLetters' | 'undelivered';
  /** Null = operators pull it. */
  readonly push: { readonly function: string; readonly path: string } | null;
  readonly ackDeadlineSeconds: number;
  readonly retentionSeconds: number;
  readonly minBackoffSeconds: number;
  readonly maxBackoffSeconds: number;
  /** Null = what cannot be delivered is tried until it is too old. */
  readonly deadLetter: { readonly topic: string; readonly maxDeliveryAttempts: number } | null;
}

const DAY = 86_400;
/** As long as Pub/Sub keeps anything. */
const LONGEST_RETENTION = 31 * DAY;
const RETENTION = 7 * DAY;
/** What an acknowledgement deadline is longer than the function's timeout, in seconds. */
const MARGIN = 30;
const LONGEST_ACK_DEADLINE = 600;
const PULL_ACK_DEADLINE = 60;
/** Also "no instance is free" counts as an attempt; the most that Pub/Sub allows. */
const MAX_DELIVERY_ATTEMPTS = 100;

/** What Pub/Sub takes for a topic's name. */
const TOPIC_NAME = /^(?!goog)[A-Za-z][\w.~+%-]{2,254}$/;

/** @throws {ConfigurationError} naming the source's or sink's topic whose name Pub/Sub does not take */
export function manifestTopics(plan: Plan): readonly ManifestTopic[] {
  const topics: ManifestTopic[] = [];
  const add = (name: string, kind: ManifestTopic['kind']): void => {
    if (!TOPIC_NAME.test(name))
      throw new ConfigurationError(
        `topic: expected 3 to 255 letters, digits and -_.~+% that begin with a letter and not with 'goog', got ${JSON.stringify(name)}; name another one by the option 'topic' of its ${kind}`,
      );
    if (!topics.some((topic) => topic.name === name)) topics.push({ name, kind });
  };
  for (const source of plan.sources) add(source.node.source.topic, 'source');
  for (const stage of plan.stages)
    for (const slot of slotsOf(stage)) add(stageTopic(plan.pipeline, stage.id, slot), 'stage');
  for (const node of plan.graph.nodes) if (node.kind === 'writePubSub') add(node.topic, 'sink');
  add(deadLetterTopic(plan.pipeline), 'deadLetters');
  add(undeliveredTopic(plan.pipeline), 'undelivered');
  return topics;
}

export function manifestSubscriptions(
  plan: Plan,
  functions: readonly DeployedFunction[],
): readonly ManifestSubscription[] {
  const { pipeline } = plan;
  const undelivered = { topic: undeliveredTopic(pipeline), maxDeliveryAttempts: MAX_DELIVERY_ATTEMPTS };
  const sources = plan.sources.map((source): ManifestSubscription => {
    const push = pushTo(functions, 'source', source.id, null);
    return {
      name: sourceSubscription(pipeline, source.id),
      topic: source.node.source.topic,
      kind: 'source',
      ...push,
      // The events themselves: kept as long as possible, so that a long outage loses none.
      retentionSeconds: LONGEST_RETENTION,
      minBackoffSeconds: 10,
      maxBackoffSeconds: 600,
      deadLetter: undelivered,
    };
  });
  const stages = plan.stages.flatMap((stage) =>
    slotsOf(stage).map((slot): ManifestSubscription => {
      const topic = stageTopic(pipeline, stage.id, slot);
      return {
        name: topic,
        topic,
        kind: 'stage',
        ...pushTo(functions, 'stage', stage.id, slot),
        retentionSeconds: RETENTION,
        // The next try costs little, and the sweep sends again after a minute anyway.
        minBackoffSeconds: 1,
        maxBackoffSeconds: 60,
        deadLetter: undelivered,
      };
    }),
  );
  const kept = { retentionSeconds: LONGEST_RETENTION, minBackoffSeconds: 10, maxBackoffSeconds: 600, deadLetter: null };
  return [
    ...sources,
    ...stages,
    {
      name: deadLetterTopic(pipeline),
      topic: deadLetterTopic(pipeline),
      kind: 'deadLetters',
      push: null,
      ackDeadlineSeconds: PULL_ACK_DEADLINE,
      ...kept,
    },
    {
      name: undelivered.topic,
      topic: undelivered.topic,
      kind: 'undelivered',
      ...pushTo(functions, 'undelivered', 'undelivered', null),
      ...kept,
    },
  ];
}

function pushTo(
  functions: readonly DeployedFunction[],
  kind: Served['kind'],
  id: string,
  slot: number | null,
): Pick<ManifestSubscription, 'push' | 'ackDeadlineSeconds'> {
  for (const candidate of functions) {
    const served = candidate.serves.find((each) => each.kind === kind && each.id === id);
    if (served === undefined || (slot !== null && candidate.slot !== slot)) continue;
    return {
      push: { function: candidate.id, path: served.path },
      ackDeadlineSeconds: Math.min(LONGEST_ACK_DEADLINE, candidate.timeoutSeconds + MARGIN),
    };
  }
  throw new Error(`no function serves ${kind} '${id}'`);
}
