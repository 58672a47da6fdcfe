/** What a relation brings into scope whose rows are one value each: UNNEST, and subqueries SELECT AS STRUCT or AS VALUE. */
import { field } from './path.ts';
import type { Column, FromScope } from './scope.ts';
import type { Typed } from './typed.ts';

/** A STRUCT shows its fields as columns; anything else is a column called as its alias. The alias itself is the value. */
export function valueScope(value: Typed, name: string | undefined): FromScope {
  const fields: Column[] =
    value.type.kind === 'STRUCT'
      ? value.type.fields.map((item) => ({
          name: item.name,
          value: item.name === '' ? value : field(value, item.name, 0),
        }))
      : [];
  const columns = value.type.kind === 'STRUCT' ? fields : [{ name: name ?? '', value }];
  return { columns, ranges: name === undefined ? [] : [{ name, columns: fields, pseudo: [], row: () => value }] };
}
