/**
 * `npm run endurance -- KEYS`: a run over so many keys (default a million), and what stands in the store while it goes on
 * and is left at its end. Fails when anything is left, or when it stands higher in the end than in the first quarter.
 */
import { manyKeys } from './many-keys.ts';

const keys = Number(process.argv[2] ?? 1_000_000);
if (!Number.isSafeInteger(keys) || keys < 1) throw new Error(`expected a number of keys, got ${process.argv[2]}`);
let told = 0;
const result = await manyKeys(keys, (records) => {
  if (records < told + 100_000) return;
  told = records;
  console.error(`${records} records, ${Math.round(process.memoryUsage().rss / 1e6)} MB`);
});
console.log(JSON.stringify({ keys, ...result }, null, 2));
const { left, documents, heap } = result;
const isBounded = documents.rest <= 1.2 * documents.firstQuarter && heap.rest <= 1.2 * heap.firstQuarter + 20;
if (left.length > 0 || !isBounded) process.exitCode = 1;
