/** How one hour's row grew, pane by pane, as a chart for the terminal. */
import type { Row } from '../ports/warehouse.ts';

const WIDTH = 60;

/** Keeps the panes of each row as they were written; a flush writes only the newest of those that it finds. */
export class Growth {
  readonly #panes = new Map<string, Row[]>();

  note(row: Row): void {
    const place = `${row['airport']} ${row['window_start']}`;
    const panes = this.#panes.get(place);
    if (panes === undefined) this.#panes.set(place, [row]);
    else panes.push(row);
  }

  /** The row that changed most often after its hour was complete, of those of which every pane was written. */
  mostCorrected(): readonly Row[] {
    let most: readonly Row[] = [];
    let corrections = -1;
    for (const panes of this.#panes.values()) {
      if (panes.some((pane, i) => pane['pane_index'] !== i)) continue;
      const late = panes.filter((pane) => pane['pane_timing'] === 'LATE').length;
      if (late < corrections || (late === corrections && panes.length <= most.length)) continue;
      most = panes;
      corrections = late;
    }
    return most;
  }
}

export function growth(watch: Growth): string {
  const panes = watch.mostCorrected();
  const first = panes[0];
  if (first === undefined) return 'no panes';
  const largest = Math.max(...panes.map((pane) => pane['flights'] as number));
  const bars = panes.map((pane) => {
    const flights = pane['flights'] as number;
    const bar = '█'.repeat(Math.max(1, Math.round((flights / largest) * WIDTH)));
    return `  ${String(pane['pane_index']).padStart(3)}  ${String(pane['pane_timing']).padEnd(7)}  ${bar} ${flights}`;
  });
  return [
    `How one row grew, pane by pane: flights from ${first['airport']} in the hour of ${first['window_start']}`,
    ...bars,
  ].join('\n');
}
