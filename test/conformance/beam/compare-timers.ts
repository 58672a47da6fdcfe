/**
 * `node compare-timers.ts --seeds 200 --from 1`: random cases of timers on Beam's direct runner and on Millrace. With `--record`
 * what Beam gives is written to golden/beam-timers.jsonl.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Beam } from './beam.ts';
import { runTimersCase, textsByWindow } from './run-timers-case.ts';
import { drawTimersCase, type TimersCase } from './timers-case.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
  },
});
const from = Number(values.from);
const until = from + Number(values.seeds);
const beam = new Beam<TimersCase, { readonly steps: readonly (readonly string[])[] }>('TimersConform');
const lines: string[] = [];
let different = 0;

for (let seed = from; seed < until; seed++) {
  const one = drawTimersCase(seed);
  const results = (await beam.run(one)).steps.map(textsByWindow);
  const ours = await runTimersCase(one);
  lines.push(JSON.stringify({ ...one, results }));
  if (results.join('\n') === ours.join('\n')) continue;
  different++;
  console.log(JSON.stringify(one));
  console.log('  Beam    ', JSON.stringify(results));
  console.log('  Millrace', JSON.stringify(ours));
}
beam.close();
console.log(`${until - from} cases; ${different} differ`);
if (values.record) writeFileSync(new URL('../golden/beam-timers.jsonl', import.meta.url), `${lines.join('\n')}\n`);
process.exitCode = different === 0 ? 0 : 1;
