/** What pipelines import as `millrace/lookup`, in a bundle. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundlePipeline } from '../../../functions/cloud/bundle/bundle.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PIPELINE = `
import { z } from 'zod';
import { lookUp, pipeline } from 'millrace';
import { firestoreLookUp, httpBatchLookUp, httpLookUp } from 'millrace/lookup';

export const clients = [httpLookUp, httpBatchLookUp];
export default pipeline('named', (p) => {
  const events = p.readPubSub('events', { schema: z.object({ merchant: z.string() }) });
  lookUp('merchant', events, { key: ({ merchant }) => merchant, client: firestoreLookUp({ collection: 'merchants' }) })
    .writePubSub('out', { topic: 'named' });
});
`;

let folder: string;
beforeAll(async () => {
  // Inside the package, so that it is found by its own name.
  folder = await mkdtemp(join(HERE, 'export-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('millrace/lookup is bundled with a pipeline, and the client of Firestore beside it, for when it is needed', async () => {
  const module = join(folder, 'named.ts');
  await writeFile(module, PIPELINE);
  const { main, inputs } = await bundlePipeline({ module, outDir: join(folder, 'out') });
  const own = inputs.map((file) => file.slice(file.indexOf('/functions/') + 1));
  expect(own).toContain('functions/cloud/lookup/firestore.ts');
  expect(own).toContain('functions/cloud/lookup/http.ts');
  const code = await readFile(join(dirname(main), 'function.js'), 'utf8');
  expect(code).toMatch(/import\("\.\/hand-written-firestore-[A-Z0-9]+\.js"\)/);
  expect(code.length).toBeLessThan(1_500_000);
}, 60_000);
