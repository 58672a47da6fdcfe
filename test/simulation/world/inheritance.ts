/** What is there when an epoch begins: of an earlier one, and none of its doing. */
import type { Row } from '../../../functions/ports/warehouse.ts';
import type { Platform } from './platform.ts';
import type { PlacedRow } from './warehouse.ts';

export interface Inheritance {
  readonly placed: readonly PlacedRow[];
  /** The rows of those; one that is replaced is another. */
  readonly rows: ReadonlySet<Row>;
  /** The ids of dead letters. */
  readonly letters: ReadonlySet<string>;
  /** How many messages were published for topics outside. */
  readonly published: number;
  /** How many requests the model has had. */
  readonly requests: number;
}

export function inheritanceOf({ store, warehouse, bus, model }: Platform): Inheritance {
  const placed = warehouse.placed();
  return {
    placed,
    rows: new Set(placed.map(({ row }) => row)),
    letters: new Set(store.truth.all('deadLetters').map(({ id }) => id)),
    published: bus.published.length,
    requests: model.requests.length,
  };
}
