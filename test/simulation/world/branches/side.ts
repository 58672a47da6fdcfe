/** A side input beside the groupings: each element is told which elements its window has, and so goes to a table. */
import type { PCollection } from '../../../../functions/model/collection.ts';
import { fixedWindows } from '../../../../functions/model/windows.ts';
import type { SideSpec } from '../../scenario.ts';
import { collectTokens, type Item } from '../tokens.ts';

export const SIDE = 'side';

export function addSide(items: PCollection<Item>, spec: SideSpec): void {
  const seen = items
    .map(`${SIDE}-token`, ({ token }) => ({ token }))
    .window(`${SIDE}-windows`, fixedWindows(spec.sideWindows))
    .combineGlobally(`${SIDE}-collect`, collectTokens)
    .asSingleton(`${SIDE}-view`, { default: ['none'] });
  items
    .window(`${SIDE}-main-windows`, fixedWindows(spec.mainWindows))
    .parDo(
      SIDE,
      {
        process({ token }: Item, { output, side }) {
          output({ token, seen: side.seen });
        },
      },
      { sideInputs: { seen } },
    )
    .writeBigQuery(`${SIDE}-rows`, {
      columns: { token: 'STRING', window_start: 'INT64', tokens: 'JSON' },
      key: [],
      row: (told, { window }) => {
        const { token, seen: tokens } = told as { token: string; seen: readonly string[] };
        return { token, window_start: window.start, tokens };
      },
      flush: { rows: 10, every: 10_000 },
    });
}
