/**
 * The indexes that a pipeline's Firestore database needs: a composite one for each query that is made, and none else.
 * Firestore indexes every field unless told not to, which costs on each write and makes hot spots of rising fields; so
 * each collection is exempt as a whole.
 */

/** As much of a query as an index depends on; see `ports/queries.ts`. */
export interface IndexedQuery {
  readonly name: string;
  readonly collection: string;
  readonly equal: readonly string[];
  readonly orderBy: string;
}

export interface CompositeIndex {
  /** The query's name. */
  readonly id: string;
  readonly collection: string;
  readonly fields: readonly { readonly path: string; readonly order: 'ASCENDING' }[];
}

export interface IndexExemption {
  readonly collection: string;
  /** `*` = every field. */
  readonly field: string;
}

export function compositeIndexes(queries: readonly IndexedQuery[]): readonly CompositeIndex[] {
  return queries.map(({ name, collection, equal, orderBy }) => ({
    id: name,
    collection,
    fields: [...equal, orderBy].map((path) => ({ path, order: 'ASCENDING' })),
  }));
}

/** In Firestore the pipeline's own document lies in the collection of all pipelines: `millrace/{pipeline}`. */
const PIPELINE = 'pipeline';
const PIPELINES_COLLECTION = 'millrace';

export function indexExemptions(collections: readonly string[]): readonly IndexExemption[] {
  return collections.map((collection) => ({
    collection: collection === PIPELINE ? PIPELINES_COLLECTION : collection,
    field: '*',
  }));
}
