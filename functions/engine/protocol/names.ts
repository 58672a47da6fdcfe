/**
 * How roots, shards and outbox documents are named. Invariant: `~` appears in no part, so a name can be taken apart;
 * an ingest or replay name ends in a random incarnation and is never used again.
 */
import { CorruptionError } from '../../model/errors.ts';

/** `{stage}~{shard}`, `ingest~{source}~{incarnation or split}` or `replay~{name}~{incarnation}`. */
export type RootId = string;
/** The root of a stage's shard: `{stage}~{shard}`. */
export type ShardId = RootId;

const ROOT_ID = /^(?:(?:ingest|replay)~[a-z0-9-]+~[A-Za-z0-9-]+|[a-z0-9-]+~\d+)$/;
const RESERVED = new Set(['ingest', 'replay']);

export function shardId(stage: string, shard: number): ShardId {
  return `${stage}~${shard}`;
}

export function ingestRootId(source: string, incarnation: string): RootId {
  return `ingest~${source}~${incarnation}`;
}

export function replayRootId(name: string, incarnation: string): RootId {
  return `replay~${name}~${incarnation}`;
}

/** Whether a text can be a root's name at all; anything else that arrives in a message is forged or broken. */
export function isRootId(text: unknown): text is RootId {
  return typeof text === 'string' && text.length <= 400 && ROOT_ID.test(text);
}

/** A shard's name, taken apart. */
export interface ShardName {
  readonly stage: string;
  readonly shard: number;
}

/** Of the names met last: the few shards of a pipeline are named with every envelope. */
let parsed = new Map<ShardId, ShardName>();
const MAX_PARSED = 10_000;

/** Takes a shard's name apart. @throws {CorruptionError} when it is none */
export function parseShardId(id: ShardId): ShardName {
  let name = parsed.get(id);
  if (name === undefined) {
    name = parse(id);
    if (parsed.size >= MAX_PARSED) parsed = new Map();
    parsed.set(id, name);
  }
  return name;
}

function parse(id: ShardId): ShardName {
  const at = id.lastIndexOf('~');
  const stage = id.slice(0, at);
  const shard = Number(id.slice(at + 1));
  if (at <= 0 || stage.includes('~') || !Number.isInteger(shard) || RESERVED.has(stage))
    throw new CorruptionError(`'${id}' is not the name of a shard`);
  return { stage, shard };
}

/** The source that an ingest root reads, or undefined for other roots. */
export function sourceOf(id: RootId): string | undefined {
  return id.startsWith('ingest~') ? id.slice('ingest~'.length, id.lastIndexOf('~')) : undefined;
}

export function isReplayRoot(id: RootId): boolean {
  return id.startsWith('replay~');
}

/** Whether a root belongs to a shard of a stage, not to an ingest instance or a replay. */
export function isShardRoot(id: RootId): boolean {
  return !id.startsWith('ingest~') && !isReplayRoot(id);
}

export function outboxId(root: RootId, document: number): string {
  return `${root}~${document}`;
}
