/**
 * What a pipeline's parts are called in the cloud. Invariant: names are a function of pipeline, stage, source and slot
 * alone, so that code, terraform and gcloud agree without asking each other; `--` stands in no part (a name has single
 * dashes only), so two pipelines never share a name.
 */
import { createHash } from 'node:crypto';

/** Functions are Cloud Run services; their name and the project's number form one label of a host name (63). */
const LONGEST_FUNCTION = 49;
const LONGEST_ACCOUNT = 30;
const LONGEST_DATABASE = 63;
/** A project's id has at most 30, and a dash is between. */
const LONGEST_BUCKET_SUFFIX = 32;
const HASH = 6;

/** The topic, and the subscription on it, that carry envelopes to the shards of one slot. */
export function stageTopic(pipeline: string, stage: string, slot: number): string {
  return `${prefix(pipeline)}--${stage}--${slot}`;
}

/** The subscription by which a source's topic reaches the pipeline. */
export function sourceSubscription(pipeline: string, source: string): string {
  return `${prefix(pipeline)}--ingest--${source}`;
}

/** Where dead letters are announced, and the subscription that operators read. */
export function deadLetterTopic(pipeline: string): string {
  return `${prefix(pipeline)}--dead-letters`;
}

/** Where Pub/Sub puts what it could not deliver, and the subscription that stores it. */
export function undeliveredTopic(pipeline: string): string {
  return `${prefix(pipeline)}--undelivered`;
}

/** The Firestore database of a pipeline; one each, so that access can be granted by database. */
export function databaseName(pipeline: string): string {
  return limited(prefix(pipeline), LONGEST_DATABASE);
}

/** A BigQuery dataset may have no dashes. */
export function datasetName(pipeline: string): string {
  return `millrace_${pipeline.replaceAll('-', '_')}`;
}

/** @param id the function's id in the manifest, such as `delays--0` */
export function functionName(pipeline: string, id: string): string {
  return limited(`${prefix(pipeline)}--${id}`, LONGEST_FUNCTION);
}

/** @param id the identity's id in the manifest: a function's id, `push`, `scheduler` or `build` */
export function accountName(pipeline: string, id: string): string {
  return limited(`${prefix(pipeline)}--${id}`, LONGEST_ACCOUNT);
}

/** The repository that holds the images built from a pipeline's functions. */
export function imageRepository(pipeline: string): string {
  return limited(prefix(pipeline), LONGEST_DATABASE);
}

/** What follows the project's id in the name of the bucket of the functions' archives; buckets have 63 characters. */
export function bucketSuffix(pipeline: string): string {
  return limited(prefix(pipeline), LONGEST_BUCKET_SUFFIX);
}

function prefix(pipeline: string): string {
  return `millrace-${pipeline}`;
}

/** Cuts a name that is too long and ends it in a hash of the whole, so that it stays unique. */
function limited(name: string, longest: number): string {
  if (name.length <= longest) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH);
  return `${name.slice(0, longest - HASH - 1).replace(/-+$/, '')}-${hash}`;
}
