/** A view beside the groupings whose file is read again and again: each element is told which lines it has. */
import type { PCollection } from '../../../../functions/model/collection.ts';
import type { Pipeline } from '../../../../functions/model/pipeline.ts';
import type { RefreshedSpec } from '../../scenario.ts';
import type { FileLine } from '../file.ts';
import type { Item } from '../tokens.ts';

export const REFRESHED = 'refreshed';

export function addRefreshed(p: Pipeline, items: PCollection<Item>, { refreshEvery }: RefreshedSpec): void {
  const lines = p
    .readFile(`${REFRESHED}-file`, { schema: { parse: (line: unknown) => line as FileLine } })
    .map(`${REFRESHED}-line`, ({ version, line }) => `${version}-${line}`)
    .asList(`${REFRESHED}-view`, { refreshEvery });
  items
    .parDo(
      REFRESHED,
      {
        process({ token }: Item, { output, side }) {
          output({ token, tokens: side.lines });
        },
      },
      { sideInputs: { lines } },
    )
    .writeBigQuery(`${REFRESHED}-rows`, {
      columns: { token: 'STRING', tokens: 'JSON' },
      key: [],
      row: (told) => told as { token: string; tokens: readonly string[] },
      flush: { rows: 10, every: 10_000 },
    });
}
