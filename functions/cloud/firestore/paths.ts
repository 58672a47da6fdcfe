/**
 * Where documents lie: `millrace/{pipeline}` and collections under it. Invariant: different names give different paths, and
 * a path gives its name back.
 */
import { TooLargeError } from '../../model/errors.ts';
import { PIPELINE_DOCUMENT } from '../../engine/pipeline-document.ts';
import type { Collection, DocumentName } from '../../ports/store.ts';

/** Firestore's limit of a document's id. */
const MAX_ID_BYTES = 1_500;

export class Paths {
  /** `projects/{project}/databases/{database}`. */
  readonly database: string;
  /** The pipeline's own document, under which everything lies. */
  readonly pipeline: string;

  constructor(projectId: string, databaseId: string, pipeline: string) {
    this.database = `projects/${projectId}/databases/${databaseId}`;
    this.pipeline = `${this.database}/documents/millrace/${pipeline}`;
  }

  /** @throws {TooLargeError} when the id is longer than Firestore's 1,500 bytes */
  of({ collection, id }: DocumentName): string {
    if (collection === PIPELINE_DOCUMENT.collection && id === PIPELINE_DOCUMENT.id) return this.pipeline;
    const encoded = encodeId(id);
    const bytes = Buffer.byteLength(encoded);
    if (bytes > MAX_ID_BYTES)
      throw new TooLargeError(`the id of ${collection}/${id.slice(0, 100)}…`, bytes, MAX_ID_BYTES);
    return `${this.pipeline}/${collection}/${encoded}`;
  }

  /** The id of a document of `collection` that lies at `path`. */
  idAt(collection: Collection, path: string): string {
    if (path === this.pipeline) return PIPELINE_DOCUMENT.id;
    return decodeURIComponent(path.slice(this.pipeline.length + collection.length + 2));
  }
}

/** Ids may not hold `/`, nor be `.`, `..` or `__…__`; what stands for them is percent-encoded, and so is `%`. */
function encodeId(id: string): string {
  const encoded = id.replace(/[%/]/g, encodeURIComponent);
  return /^(\.\.?|__.*__)$/.test(encoded) ? encoded.replace(/^./, (first) => hex(first)) : encoded;
}

function hex(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
