import { describe, expect, it } from 'vitest';
import { BufferedParts, PartCache } from '../../../functions/engine/shard/cell-parts.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';

describe('a part that is gone', () => {
  // As for an instance that has stood still, while another has committed the cell without it.
  it('is nothing that user code is to blame for: the bundle ends with it, though the code has caught it', async () => {
    const parts = new BufferedParts('cell', new PartCache(new MemoryStore()));
    await Promise.resolve(parts.read('a')).catch(() => 'caught by user code');
    expect(() => parts.throwFailure()).toThrow('part cell~a is gone, though its cell names it');
  });
  it('is missed by nobody who has not asked for it', () => {
    expect(() => new BufferedParts('cell', new PartCache(new MemoryStore())).throwFailure()).not.toThrow();
  });
});
