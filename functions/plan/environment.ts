/**
 * The environment variables of a deployed function. The manifest writes them, `functions/main.ts` reads them, and a
 * test holds terraform against this list.
 */

/** Variables whose values the manifest knows. */
export const MANIFEST_VARIABLES = {
  pipeline: 'MILLRACE_PIPELINE',
  /** What the function serves, separated by commas: `source:flights`, `stage:delays`, `sweep`. */
  serves: 'MILLRACE_SERVES',
  /** Which slot of its stages; absent where there is none. */
  slot: 'MILLRACE_SLOT',
  /** Shards of a stage, as planned. */
  shards: 'MILLRACE_SHARDS',
  /** Slots of a stage, as planned. */
  slots: 'MILLRACE_SLOTS',
  /** Rises with each deployment that changes the topology. */
  topology: 'MILLRACE_TOPOLOGY',
  /** Rises with each fresh start after a drain. */
  epoch: 'MILLRACE_EPOCH',
  /** Read by Node itself: what of the memory its values may have. */
  nodeOptions: 'NODE_OPTIONS',
} as const;

/** Variables whose values only a project gives; terraform and the gcloud script set them for every function. */
export const PROJECT_VARIABLES = {
  project: 'GOOGLE_CLOUD_PROJECT',
  region: 'MILLRACE_REGION',
  /** The Firestore database. */
  database: 'MILLRACE_DATABASE',
  /** The BigQuery dataset of tables that name none. */
  dataset: 'MILLRACE_DATASET',
  /** The audience that the function's callers put into their tokens: its own address. */
  pushAudience: 'MILLRACE_PUSH_AUDIENCE',
  /** The accounts that may call it, separated by commas. */
  pushAccounts: 'MILLRACE_PUSH_ACCOUNTS',
} as const;
