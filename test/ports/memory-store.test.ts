import { MemoryStore } from '../../functions/local/memory-store.ts';
import { storeSuite } from './store-suite.ts';

storeSuite('the store in memory', async () => new MemoryStore());
storeSuite('the store in memory, strict', async () => new MemoryStore({ strict: true }));
