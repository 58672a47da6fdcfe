/** What lies in parts, against naive models in memory, from fixed seeds. */
import { describe, expect, it } from 'vitest';
import { KeyedParts } from '../../../functions/engine/stateful/keyed-parts.ts';
import { PartLeaves } from '../../../functions/engine/stateful/part-leaves.ts';
import { SortedRuns } from '../../../functions/engine/stateful/sorted-runs.ts';
import { instantOf, sortableInstant } from '../../../functions/engine/stateful/timer-text.ts';
import { epochMillis } from '../../../functions/model/time.ts';
import { seeded } from '../../model/seeded.ts';
import { MemoryParts } from './memory-parts.ts';

const SEEDS = [1, 2, 3, 4];
const largest = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));
const pad = (n: number): string => String(n).padStart(6, '0');

describe.each(SEEDS)('seed %i', (seed) => {
  it('leaves hold what a map holds, in order, and answer with one read', async () => {
    const random = seeded(seed);
    const parts = new MemoryParts();
    let leaves = new PartLeaves('p.', parts, largest);
    const model = new Map<string, string>();
    for (let round = 0; round < 20; round++) {
      const changes = new Map<string, string | null>();
      for (let i = 0; i < 60; i++) {
        const key = pad(Math.floor(random() * 2_000));
        changes.set(key, random() < 0.3 ? null : 'x'.repeat(Math.floor(random() * 400)));
      }
      for (const [key, text] of changes) {
        if (text === null) model.delete(key);
        else model.set(key, text);
      }
      await leaves.absorb(changes);
      leaves = new PartLeaves('p.', parts, largest, JSON.parse(JSON.stringify(leaves.encode())));
      const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
      expect(await leaves.entries()).toEqual(sorted);
      expect(await leaves.entries('000500', '001500')).toEqual(
        sorted.filter(([key]) => key >= '000500' && key < '001500'),
      );
      expect(parts.bodies.size).toBe(leaves.bounds().length);
      const before = parts.reads;
      const key = pad(Math.floor(random() * 2_000));
      expect(await leaves.get(key)).toBe(model.get(key));
      expect(parts.reads - before).toBeLessThanOrEqual(1);
      for (const body of parts.bodies.values()) expect(body.length).toBeLessThan(17_000);
    }
    leaves.drop();
    expect(parts.bodies.size).toBe(0);
  });

  it('keyed parts hold what a map holds, and a bundle writes little of much', async () => {
    const random = seeded(seed);
    const parts = new MemoryParts();
    let keyed = new KeyedParts('p.', parts, largest);
    const model = new Map<string, string>();
    let most = 0;
    for (let round = 0; round < 100; round++) {
      const changes = new Map<string, string | null>();
      for (let i = 0; i < 100; i++) {
        const key = pad(Math.floor(random() * 20_000));
        changes.set(key, random() < 0.2 ? null : `${round} ${'x'.repeat(Math.floor(random() * 300))}`);
      }
      for (const [key, text] of changes) {
        if (text === null) model.delete(key);
        else model.set(key, text);
      }
      const before = parts.written;
      await keyed.absorb(changes);
      most = Math.max(most, parts.written - before);
      keyed = new KeyedParts('p.', parts, largest, JSON.parse(JSON.stringify(keyed.encode())));
      for (let i = 0; i < 5; i++) {
        const key = pad(Math.floor(random() * 20_000));
        expect(await keyed.get(key)).toBe(model.get(key));
      }
    }
    expect(new Map(await keyed.entries())).toEqual(model);
    const whole = [...parts.bodies.values()].reduce((sum, body) => sum + body.length, 0);
    expect(whole).toBeGreaterThan(900_000);
    expect(most).toBeLessThan(600_000);
    keyed.drop();
    expect(keyed.isEmpty).toBe(true);
    expect(parts.bodies.size).toBe(0);
  }, 30_000);

  it('sorted runs give the smallest first, whatever was added and removed between', async () => {
    const random = seeded(seed);
    const parts = new MemoryParts();
    let runs = new SortedRuns('p.', parts, (texts) => Math.min(...texts.map(Number)));
    const model = new Map<string, { run: number; text: string }>();
    let next = 0;
    for (let round = 0; round < 25; round++) {
      const entries = Array.from({ length: Math.floor(random() * 300) }, () => {
        const text = String(Math.floor(random() * 1_000_000));
        return [`${pad(Number(text) % 1_000_000)} ${String(next++).padStart(50, '0')}`, text] as const;
      });
      if (entries.length > 0) {
        const run = await runs.add(entries);
        for (const [key, text] of entries) model.set(key, { run, text });
      }
      const keys = [...model.keys()];
      for (let i = 0; i < 10 && keys.length > 0; i++) {
        const [key] = keys.splice(Math.floor(random() * keys.length), 1) as [string];
        await runs.remove(model.get(key)!.run, key);
        model.delete(key);
      }
      for (const smallest of [...model.keys()].sort().slice(0, 60)) {
        while (!runs.isLoaded) await runs.load();
        expect(runs.next()).toBe(smallest);
        expect(runs.take()).toEqual([smallest, model.get(smallest)!.text]);
        model.delete(smallest);
        if (random() < 0.05)
          runs = new SortedRuns(
            'p.',
            parts,
            (texts) => Math.min(...texts.map(Number)),
            JSON.parse(JSON.stringify(runs.encode())),
          );
      }
      if (model.size > 0)
        expect(Math.min(...runs.summaries())).toBe(Math.min(...[...model.values()].map(({ text }) => Number(text))));
      else expect(runs.isEmpty).toBe(true);
    }
    runs.drop();
    expect(parts.bodies.size).toBe(0);
  }, 30_000);
});

describe('instants as texts', () => {
  it('sort as the instants do and come back', () => {
    const instants = [-8.64e15, -8.64e15 + 1, -1_000, -999, -1, 0, 1, 9, 10, 1.7e12, 8.64e15 - 1, 8.64e15].map(
      epochMillis,
    );
    const texts = instants.map(sortableInstant);
    expect(texts.toSorted()).toEqual(texts);
    expect(texts.map(instantOf)).toEqual(instants);
    expect(new Set(texts.map((text) => text.length))).toEqual(new Set([17]));
  });

  it('a beginning of one stands for no later instant', () => {
    const text = sortableInstant(epochMillis(123_456));
    for (let length = 1; length <= text.length; length++)
      expect(instantOf(text.slice(0, length))).toBeLessThanOrEqual(123_456);
  });
});
