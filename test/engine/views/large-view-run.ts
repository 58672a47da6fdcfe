/**
 * A pipeline with a view of so many MiB, in a process of its own, so that its memory can be bounded from outside:
 * `node large-view-run.ts MIB SHAPE`. Prints what readers saw.
 */
import type { SideContext } from '../../../functions/model/dofn.ts';
import { PoisonError } from '../../../functions/model/errors.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { capture, Harness, source } from './harness.ts';

/** A line of 1 KiB: the key, a tab, quotes, the text and the line's end. */
const LINE = 1_024;
const BUNDLE = 4_000;

const [mib, shape] = process.argv.slice(2) as [string, 'map' | 'list'];
const count = (Number(mib) * 1024 * 1024) / LINE;
const keyOf = (i: number): string => String(i).padStart(10, '0');
const text = 'x'.repeat(LINE - keyOf(0).length - 6);

const harness = await Harness.start(
  pipeline('large', (p) => {
    const side = source<string>(p, 'side')
      .keyBy('key', (key) => key)
      .mapValues('value', () => text);
    const main = source<number>(p, 'main');
    if (shape === 'map') {
      const all = side.asMap('all');
      const process = async (i: number, context: SideContext<unknown, { all: typeof all }>): Promise<void> => {
        const value = await context.side.all.get(keyOf(i));
        if (value !== undefined && value !== text) throw new PoisonError(`element ${i} sees another value`);
        context.output([i, value !== undefined, context.side.all.size]);
      };
      capture(main.parDo('join', { process }, { sideInputs: { all } }));
    } else {
      const all = side.asList('all');
      const process = (i: number, context: SideContext<unknown, { all: typeof all }>): void =>
        context.output([i, context.side.all[i]?.key ?? null, context.side.all.length]);
      capture(main.parDo('join', { process }, { sideInputs: { all } }));
    }
  }),
  { shards: 2, strict: false },
);
await harness.send('main', { at: 1, value: 0 }, { at: 1, value: count - 1 }, { at: 1, value: count });
for (let at = 0; at < count; at += BUNDLE) {
  const elements = Array.from({ length: Math.min(BUNDLE, count - at) }, (_, i) => ({ at: 1, value: keyOf(at + i) }));
  await harness.send('side', ...elements);
}
await harness.end('side');
const shown = harness.store.size('views');
await harness.finish('main', 'side');
const letters = harness.deadLetters().map(({ stage, code, count: elements }) => [stage, code, elements]);
const report = { values: harness.values(), letters, shown, remains: harness.remains() };
process.stdout.write(JSON.stringify(report));
