/** Loaded before all else, puts the mutation that the environment names into the module that it is about. */
import { registerHooks } from 'node:module';
import { MUTATIONS } from './list.ts';
import { RARE_MUTATIONS } from './rare.ts';
import { MUTATION, mutate } from './mutation.ts';

const mutation = [...MUTATIONS, ...RARE_MUTATIONS].find(({ name }) => name === process.env[MUTATION]);
if (mutation === undefined) throw new Error(`there is no mutation '${process.env[MUTATION]}'`);
const url = new URL(`../../../${mutation.file}`, import.meta.url).href;

registerHooks({
  load: (loading, context, nextLoad) => {
    const loaded = nextLoad(loading, context);
    if (loading !== url) return loaded;
    return { ...loaded, source: mutate(mutation, String(loaded.source)) };
  },
});
