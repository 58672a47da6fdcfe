/** `node compare.ts --seeds 5000 --from 1`: random cases through Beam and Millrace; each difference is made smaller. */
import { parseArgs } from 'node:util';
import { Beam } from './beam.ts';
import { type CaseJson, drawCase } from './draw-case.ts';
import { knownDifference } from './known-differences.ts';
import { type Result, resultTexts, runCase } from './result.ts';
import { shrinkCase } from './shrink-case.ts';

const AT_ONCE = 200;

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1000' }, from: { type: 'string', default: '1' } },
});
const from = Number(values.from);
const until = from + Number(values.seeds);
const beam = new Beam<CaseJson, Result>('BeamConform');
const known = new Map<string, number>();
let unknown = 0;

for (let seed = from; seed < until; seed += AT_ONCE) {
  const seeds = Array.from({ length: Math.min(AT_ONCE, until - seed) }, (_, i) => seed + i);
  const outcomes = await Promise.all(seeds.map((one) => outcome(drawCase(one))));
  for (const [i, { differs, reason }] of outcomes.entries()) {
    if (!differs) continue;
    if (reason === undefined) await show(drawCase(seeds[i]!));
    else known.set(reason, (known.get(reason) ?? 0) + 1);
  }
}
beam.close();
console.log(`${until - from} cases; ${unknown} differ for an unknown reason`);
for (const [reason, count] of known) console.log(`${count} differ as ARCHITECTURE.md says: ${reason}`);
process.exitCode = unknown === 0 ? 0 : 1;

interface Outcome {
  readonly beams: Result;
  readonly ours: Result;
  readonly differs: boolean;
  /** Why it may, where that is known. */
  readonly reason: string | undefined;
}

async function outcome(one: CaseJson): Promise<Outcome> {
  const [beams, ours] = await Promise.all([beam.run(one), runCase(one)]);
  const differs = resultTexts(beams).join('\n') !== resultTexts(ours).join('\n');
  return { beams, ours, differs, reason: knownDifference(one, beams, ours) };
}

async function show(one: CaseJson): Promise<void> {
  unknown++;
  const smallest = await shrinkCase(one, async (smaller) => {
    const { differs, reason } = await outcome(smaller);
    return differs && reason === undefined;
  });
  const { beams, ours } = await outcome(smallest);
  console.log(JSON.stringify(smallest));
  console.log('  Beam    ', JSON.stringify(resultTexts(beams)));
  console.log('  Millrace', JSON.stringify(resultTexts(ours)));
}
