/** The engine's named queries in Firestore's form. Each needs the composite index of its `equal` fields and its order. */
import type { Query } from '../../ports/queries.ts';
import type { IndexFields, Page } from '../../ports/store.ts';
import { indexValue, type WireDocument } from './fields.ts';
import type { Paths } from './paths.ts';
import type { StructuredQuery } from './wire.ts';

/** The ordered field's value and the path of a page's last document. */
type Cursor = readonly [value: string | number, path: string];

export function structuredQuery(query: Query, equals: IndexFields, page: Page, paths: Paths): StructuredQuery {
  const filters = query.equal.map((field) => filter(field, 'EQUAL', equals[field] ?? ''));
  if (page.atMost !== undefined) filters.push(filter(query.orderBy, 'LESS_THAN_OR_EQUAL', page.atMost));
  return {
    from: [{ collectionId: query.collection }],
    where: { compositeFilter: { op: 'AND', filters } },
    orderBy: [ascending(query.orderBy), ascending('__name__')],
    limit: { value: page.limit },
    ...(page.after === undefined ? {} : { startAt: startAfter(page.after, paths) }),
  };
}

/** The cursor of a page that ends with this document. */
export function cursorAfter(query: Query, last: WireDocument, paths: Paths): string {
  return JSON.stringify([orderOf(query, last), last.name?.slice(paths.pipeline.length) ?? ''] satisfies Cursor);
}

/** What a query orders by, of one document. */
export function orderOf(query: Query, { fields }: WireDocument): string | number {
  const value = fields?.[query.orderBy];
  return value?.stringValue ?? Number(value?.integerValue ?? value?.doubleValue);
}

function startAfter(cursor: string, paths: Paths): NonNullable<StructuredQuery['startAt']> {
  const [value, path] = JSON.parse(cursor) as Cursor;
  return { before: false, values: [indexValue(value), { referenceValue: `${paths.pipeline}${path}` }] };
}

function filter(fieldPath: string, op: 'EQUAL' | 'LESS_THAN_OR_EQUAL', value: string | number) {
  return { fieldFilter: { field: { fieldPath }, op, value: indexValue(value) } };
}

function ascending(fieldPath: string) {
  return { field: { fieldPath }, direction: 'ASCENDING' as const };
}
