/**
 * node test/simulation/mutations/check.ts [part of a name]: puts each fault into the engine, and says how many seeds it
 * took until the simulation noticed.
 */
import { noticeAfter } from './notice.ts';
import { MUTATIONS } from './list.ts';

const MOST_SEEDS = 2_000;
const [part = ''] = process.argv.slice(2);

let unnoticed = 0;
for (const mutation of MUTATIONS.filter(({ name }) => name.includes(part))) {
  const noticed = await noticeAfter(mutation, MOST_SEEDS);
  if (noticed === undefined) unnoticed += 1;
  console.log(
    noticed === undefined
      ? `UNNOTICED in ${MOST_SEEDS} seeds: ${mutation.name}`
      : `${String(noticed.seeds).padStart(5)} seeds: ${mutation.name}: ${noticed.rule}`,
  );
}
process.exitCode = unnoticed === 0 ? 0 : 1;
