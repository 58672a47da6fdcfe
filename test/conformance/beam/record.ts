/**
 * `node record.ts --seeds 20000 --add 250`: records what Beam gives in golden/beam-cases.jsonl. The cases that are there stay
 * and are asked again; of random ones those are added that show what has not been seen twice yet.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Beam } from './beam.ts';
import { type CaseJson, drawCase, type TriggerJson } from './draw-case.ts';
import { knownDifference } from './known-differences.ts';
import { type Result, resultTexts, runCase } from './result.ts';

const LONGEST = 800;
const OFTEN_ENOUGH = 2;
/** A case is added where it shows something rare for each so many characters of it. */
const CHARACTERS_A_FEATURE = 90;

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '0' }, add: { type: 'string', default: '0' } },
});
const file = new URL('../golden/beam-cases.jsonl', import.meta.url);
const beam = new Beam<CaseJson, Result>('BeamConform');
const seen = new Map<string, number>();
const lines: string[] = [];
const known = readFileSync(file, 'utf8').trimEnd().split('\n');
const full = known.length + Number(values.add);

function see(shown: readonly string[]): void {
  for (const feature of shown) seen.set(feature, (seen.get(feature) ?? 0) + 1);
}

for (const line of known) {
  const { results: _, ...one } = JSON.parse(line) as CaseJson & { results: unknown };
  const results = resultTexts(await beam.run(one));
  see(features(one, results));
  lines.push(JSON.stringify({ ...one, results }));
}

for (const { line, shows } of await candidates()) {
  const rare = shows.filter((feature) => (seen.get(feature) ?? 0) < OFTEN_ENOUGH);
  if (rare.length * CHARACTERS_A_FEATURE < line.length) continue;
  see(shows);
  lines.push(line.replace('{', `{"id":${lines.length + 1},`));
  if (lines.length === full) break;
}
beam.close();
writeFileSync(file, `${lines.join('\n')}\n`);
console.log(`${lines.length} cases, ${lines.join('\n').length} characters`);

/** Random cases that are short and have several panes, and on which no known difference bears. */
async function candidates(): Promise<{ readonly line: string; readonly shows: readonly string[] }[]> {
  const found: { line: string; shows: string[] }[] = [];
  for (let seed = 1; seed <= Number(values.seeds); seed++) {
    const { id: _, ...rest } = drawCase(seed);
    const one = { ...rest, id: seed };
    const result = await beam.run(one);
    if ('error' in result || knownDifference(one, result, await runCase(one)) !== undefined) continue;
    const results = resultTexts(result);
    const line = JSON.stringify({ ...rest, results });
    const panes = result.steps.flatMap((step) => step.panes);
    if (line.length <= LONGEST && panes.length > 1) found.push({ line, shows: features(one, results) });
  }
  return found;
}

/** What a case shows: each kind of trigger in another, in each kind of window, and each kind of pane that comes of it. */
function features(one: CaseJson, results: readonly string[]): string[] {
  const { window, accumulation, timestampCombiner, closing, onTime } = one;
  const panes = results.flatMap((text) => text.match(/\{\d?[^@ ]*|[A-Z_]+#\S+/g) ?? []).map(kindOfPane);
  const outcomes = [...new Set([...panes, ...results.flatMap((text) => text.match(/dropped/g) ?? [])])];
  return [
    ...nestings(one.trigger).map((nesting) => `${window.type} ${nesting}`),
    ...nestings(one.trigger).flatMap((nesting) => outcomes.map((outcome) => `${nesting} ${outcome}`)),
    ...outcomes.map((outcome) => `${window.type} ${accumulation} ${timestampCombiner} ${outcome}`),
    ...outcomes.map((outcome) => `${one.trigger.type} ${outcome}`),
    ...outcomes.map((outcome) => `${closing} ${onTime} ${outcome}`),
  ];
}

/** `{}` for one without content; else what it says of itself, with its counts up to 1. */
function kindOfPane(text: string): string {
  if (text.startsWith('{')) return text === '{}' ? '{}' : '{…}';
  return text.replaceAll(/\d+/g, (count) => (count === '0' ? '0' : 'n'));
}

function nestings(trigger: TriggerJson): string[] {
  return partsOf(trigger).flatMap(([role, part]) => [`${trigger.type}.${role} ${part.type}`, ...nestings(part)]);
}

function partsOf(trigger: TriggerJson): (readonly [role: string, part: TriggerJson])[] {
  switch (trigger.type) {
    case 'repeatedly':
      return [['trigger', trigger.trigger]];
    case 'orFinally':
      return [
        ['trigger', trigger.trigger],
        ['until', trigger.until],
      ];
    case 'afterWatermark':
      return [
        ...(trigger.early === undefined ? [] : [['early', trigger.early] as const]),
        ...(trigger.late === undefined ? [] : [['late', trigger.late] as const]),
      ];
    case 'afterFirst':
    case 'afterAll':
    case 'afterEach':
      return trigger.triggers.map((part, i) => [String(i), part]);
    default:
      return [];
  }
}
