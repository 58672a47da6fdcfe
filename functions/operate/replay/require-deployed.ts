import { readControl } from '../../engine/control.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { Plan } from '../../plan/plan.ts';
import { misfits, sameShape, storedShape } from '../../plan/stored-shape.ts';
import type { Store } from '../../ports/store.ts';

/**
 * A replay runs the steps here and sends to the stages that run there. By code with other stages or windows it would send what
 * no stage takes, which nobody could take back.
 * @throws {ConfigurationError} when the code at hand is not of the shape that is deployed, with the differences
 */
export async function requireDeployed(store: Store, plan: Plan): Promise<void> {
  const stored = (await readControl(store, 'topology'))?.body.shape;
  const shape = storedShape(plan);
  if (stored === undefined || sameShape(stored, shape)) return;
  const problems = [
    ...misfits(stored, shape),
    ...shape.stages.filter(({ id }) => stored.stages.every((stage) => stage.id !== id)).map(isNew('stage')),
    ...shape.sources.filter(({ id }) => stored.sources.every((source) => source.id !== id)).map(isNew('source')),
  ];
  const which = problems.length > 0 ? problems : ['stages have other inputs, or are in other slots'];
  throw new ConfigurationError(
    `the code at hand is not what is deployed of '${plan.pipeline}', and what it sends might be taken by nobody:\n` +
      `${which.map((problem) => `- ${problem}\n`).join('')}Check out the version that is deployed, or deploy this one first.`,
  );
}

function isNew(what: string): (of: { readonly id: string }) => string {
  return ({ id }) => `${what} '${id}' is not deployed`;
}
