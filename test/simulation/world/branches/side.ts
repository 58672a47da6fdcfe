/** A side input beside the groupings: each element is told which elements its window has, and so goes to a table. */
import type { PCollection } from '../../../../functions/model/collection.ts';
import { fixedWindows } from '../../../../functions/model/windows.ts';
import type { SideSpec } from '../../scenario.ts';
import type { SideMap, SideMultimap, View } from '../../../../functions/model/views.ts';
import { collectTokens, type Item } from '../tokens.ts';

export const SIDE = 'side';

/** All tokens of a window, in the form that is asked for, and how a step reads them from there. */
function viewOf(items: PCollection<Item>, { sideWindows, shape = 'singleton', panes }: SideSpec): Shown {
  const windowed = items
    .map(`${SIDE}-token`, ({ token }) => ({ token }))
    .window(
      `${SIDE}-windows`,
      fixedWindows(sideWindows),
      panes === undefined
        ? {}
        : {
            trigger: panes.trigger,
            accumulation: panes.accumulating ? 'accumulating' : 'discarding',
            allowedLateness: panes.lateness,
          },
    );
  const tokens = (): PCollection<string> => windowed.map(`${SIDE}-text`, ({ token }) => token);
  const name = `${SIDE}-view`;
  switch (shape) {
    case 'singleton': {
      const view = windowed.combineGlobally(`${SIDE}-collect`, collectTokens).asSingleton(name, { default: ['none'] });
      return { view, read: async (seen) => seen as readonly string[] };
    }
    case 'list':
      return { view: tokens().asList(name), read: async (seen) => seen as readonly string[] };
    case 'iterable':
      return { view: tokens().asIterable(name), read: (seen) => listed(seen as AsyncIterable<string>) };
    case 'multimap': {
      const view = windowed
        .keyBy(`${SIDE}-by`, halfOf)
        .mapValues(`${SIDE}-text`, ({ token }) => token)
        .asMultimap(name);
      return { view, read: async (seen) => bothHalves(seen as SideMultimap<string, string>) };
    }
    case 'map': {
      const view = windowed.keyBy(`${SIDE}-by`, halfOf).combinePerKey(`${SIDE}-collect`, collectTokens).asMap(name);
      return { view, read: async (seen) => bothHalves(seen as SideMap<string, readonly string[]>) };
    }
  }
}

async function listed(tokens: AsyncIterable<string>): Promise<readonly string[]> {
  const list: string[] = [];
  for await (const token of tokens) list.push(token);
  return list;
}

interface Shown {
  readonly view: View<unknown>;
  readonly read: (seen: unknown) => Promise<readonly string[]>;
}

const HALVES = ['even', 'odd'];

function halfOf({ token }: Pick<Item, 'token'>): string {
  return HALVES[Number(token.slice(1)) % 2]!;
}

async function bothHalves(
  seen: SideMultimap<string, string> | SideMap<string, readonly string[]>,
): Promise<readonly string[]> {
  const halves = await Promise.all(HALVES.map((half) => seen.get(half)));
  return halves.flatMap((half) => half ?? []);
}

export function addSide(items: PCollection<Item>, spec: SideSpec): void {
  const { view, read } = viewOf(items, spec);
  items
    .window(`${SIDE}-main-windows`, fixedWindows(spec.mainWindows))
    .parDo(
      SIDE,
      {
        async process({ token }: Item, { output, side }) {
          output({ token, seen: await read(side.seen) });
        },
      },
      { sideInputs: { seen: view } },
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
