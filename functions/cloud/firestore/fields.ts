/**
 * A document of ours as Firestore's fields: one `body` with everything, which no index covers, and beside it the fields that
 * queries use. Invariant: decoding gives back the body that was encoded.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { protos } from '@google-cloud/firestore-api';
import { CorruptionError, TooLargeError } from '../../model/errors.ts';
import { PIPELINE_DOCUMENT } from '../../engine/pipeline-document.ts';
import type { Document, StoredDocument, Version } from '../../ports/store.ts';

export type WireDocument = protos.google.firestore.v1.IDocument;
type WireValue = protos.google.firestore.v1.IValue;
type WireFields = Record<string, WireValue>;
type WireTimestamp = protos.google.protobuf.ITimestamp;

/** Firestore's limit of one value; a document may have 89 bytes more. */
export const MAX_DOCUMENT_BYTES = 1_048_487;
/** Bodies longer than this are compressed. Shorter ones stay text, which people can read in the console. */
const COMPRESS_ABOVE = 64 * 1024;
/** What a document weighs beside its name and fields, and its name beside its segments. */
const DOCUMENT_OVERHEAD = 32 + 16;

export interface Encoded {
  readonly wire: WireDocument;
  /** What Firestore counts it as. */
  readonly bytes: number;
}

/**
 * @param name the document's full path
 * @throws {TooLargeError} naming the document
 */
export function encodeDocument(document: Document, name: string): Encoded {
  const fields = document.collection === PIPELINE_DOCUMENT.collection ? numberFields(document) : bodyFields(document);
  let bytes = DOCUMENT_OVERHEAD + Buffer.byteLength(name);
  for (const field in fields) bytes += field.length + 1 + valueBytes(fields[field]!);
  if (bytes > MAX_DOCUMENT_BYTES)
    throw new TooLargeError(`document ${document.collection}/${document.id}`, bytes, MAX_DOCUMENT_BYTES);
  return { wire: { name, fields }, bytes };
}

/** @throws {CorruptionError} when it is no document of ours */
export function decodeDocument(id: string, wire: WireDocument): StoredDocument {
  const fields = (wire.fields ?? {}) as WireFields;
  return { id, body: decodeBody(fields, wire.name ?? id), version: versionOf(wire.updateTime) };
}

/** A number as Firestore's integer where it is one. */
export function numberValue(value: number): WireValue {
  return Number.isSafeInteger(value) ? { integerValue: String(value) } : { doubleValue: value };
}

export function indexValue(value: string | number): WireValue {
  return typeof value === 'string' ? { stringValue: value } : numberValue(value);
}

/** Firestore's update time as a version: seconds and nanoseconds. */
export function versionOf(time: WireTimestamp | null | undefined): Version {
  return `${time?.seconds ?? 0}.${time?.nanos ?? 0}`;
}

export function timeOf(version: Version): WireTimestamp {
  const [seconds = '0', nanos = '0'] = String(version).split('.');
  return { seconds, nanos: Number(nanos) };
}

function numberFields({ body }: Document): WireFields {
  const fields: WireFields = {};
  for (const [name, value] of Object.entries(body as Readonly<Record<string, number>>))
    fields[name] = numberValue(value);
  return fields;
}

function bodyFields({ body, index }: Document): WireFields {
  const text = JSON.stringify(body);
  const fields: WireFields = {
    body: text.length > COMPRESS_ABOVE ? { bytesValue: gzipSync(text, { level: 1 }) } : { stringValue: text },
  };
  for (const name in index) fields[name] = indexValue(index[name]!);
  return fields;
}

function decodeBody(fields: WireFields, name: string): unknown {
  const { body } = fields;
  if (body === undefined) return numbersOf(fields);
  try {
    if (body.bytesValue) return JSON.parse(gunzipSync(body.bytesValue as Uint8Array).toString());
    return JSON.parse(body.stringValue ?? '');
  } catch (cause) {
    throw new CorruptionError(`${name} has a body that cannot be read; was it written by something else?`, { cause });
  }
}

function numbersOf(fields: WireFields): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const name in fields) numbers[name] = Number(fields[name]!.integerValue ?? fields[name]!.doubleValue);
  return numbers;
}

function valueBytes(value: WireValue): number {
  if (typeof value.stringValue === 'string') return Buffer.byteLength(value.stringValue) + 1;
  return value.bytesValue ? value.bytesValue.length : 8;
}
