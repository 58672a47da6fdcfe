import { describe, expect, it } from 'vitest';
import { bagState, fixedWindows, pipeline, type StateSpecs, valueState } from '../../functions/index.ts';
import { plan } from '../../functions/plan/plan.ts';
import { misfits, storedShape } from '../../functions/plan/stored-shape.ts';

function shapeWith(state: StateSpecs) {
  return storedShape(
    plan(
      pipeline('p', (p) => {
        p.readPubSub('in', { schema: { parse: (value) => value as string } })
          .keyBy('by', (text) => text)
          .window('tens', fixedWindows(10))
          .statefulParDo('kept', { state, process() {} });
      }),
    ),
  );
}

describe('the state of a stateful step in a new version', () => {
  const before = shapeWith({ last: valueState(), all: bagState() });

  it('may have more', () => {
    expect(misfits(before, shapeWith({ last: valueState(), all: bagState(), more: bagState() }))).toEqual([]);
  });

  it('keeps the kind of what is stored, and does not drop it', () => {
    expect(misfits(before, shapeWith({ last: bagState() }))).toEqual([
      "stage 'kept': state.last was value and is bag",
      "stage 'kept': state.all (bag) is gone",
    ]);
  });
});
