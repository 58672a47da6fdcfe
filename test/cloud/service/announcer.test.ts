import { describe, expect, it } from 'vitest';
import { Announcer } from '../../../functions/cloud/service/announcer.ts';
import { Log } from '../../../functions/cloud/service/log.ts';
import { elementDeadLetter, type DeadLetter } from '../../../functions/engine/dead-letter.ts';
import { UNGROUPED } from '../../../functions/engine/element.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { SeededIds } from '../../../functions/local/virtual-clock.ts';
import type { EpochMillis } from '../../../functions/model/time.ts';

const at = 1_700_000_000_000 as EpochMillis;
const place = { id: 'spent~0~n1~0', stage: 'spent', failedAt: at, version: '3' };
const element = { value: { cents: 1 }, timestamp: at, windows: [], pane: UNGROUPED, id: undefined };
const letter = elementDeadLetter(place, { step: 'rate', element, error: new Error('no rate'), attempts: 2 });

async function announced(...letters: DeadLetter[]): Promise<{ lines: unknown[]; bus: MemoryBus }> {
  const lines: unknown[] = [];
  const bus = new MemoryBus(new SeededIds(1));
  const announcer = new Announcer('cards', bus, new Log('cards', 'p', (line) => lines.push(JSON.parse(line))));
  announcer.announce(letters);
  await announcer.settled();
  return { lines, bus };
}

describe('a dead letter', () => {
  it('is an event with the last error and the very command that replays it, and is announced', async () => {
    const { lines, bus } = await announced(letter);
    expect(lines).toEqual([
      {
        severity: 'WARNING',
        message: 'dead letter: no rate',
        pipeline: 'cards',
        stage: 'spent',
        event: 'dead-letter',
        deadLetter: {
          id: 'spent~0~n1~0',
          kind: 'element',
          step: 'rate',
          code: 'USER_CODE',
          attempts: 2,
          generation: 0,
          count: 1,
          replay: 'millrace dead-letters replay --pipeline cards spent~0~n1~0',
        },
      },
    ]);
    expect(bus.published).toMatchObject([{ topic: 'millrace-cards--dead-letters', attributes: { id: letter.id } }]);
  });

  it('that is a late record is announced, and is no event', async () => {
    const { lines, bus } = await announced({ ...letter, kind: 'late' });
    expect(lines).toEqual([]);
    expect(bus.published).toHaveLength(1);
  });
});
