/** What is published: each element under one id, however often, with what the store outside has of it. */
import type { OutsideMessage } from '../../../../functions/ports/bus.ts';
import { TOLD, type Told } from '../../world/branches/told.ts';
import { contentOf } from '../../world/outside.ts';
import { Violation } from '../violation.ts';
import type { BranchArrival } from './branches.ts';

export function checkTold(arrivals: readonly BranchArrival[], published: readonly OutsideMessage[]): void {
  const byId = new Map<string, string>();
  for (const { topic, data, attributes } of published) {
    const { id } = attributes;
    if (topic !== TOLD || id === undefined)
      throw new Violation('a message names its topic and itself', `${topic} ${JSON.stringify(attributes)}`);
    const before = byId.get(id);
    if (before !== undefined && before !== data)
      throw new Violation('what is published again is the same', `${id}: ${data}, and before ${before}`);
    byId.set(id, data);
  }
  const told = [...byId.values()].map((data) => JSON.parse(data) as Told);
  const [should, is] = [arrivals, told].map((elements) =>
    elements
      .map(({ token }) => token)
      .sort()
      .join(),
  );
  if (should !== is)
    throw new Violation('each element has exactly one end', `${TOLD} has ended ${is} instead of ${should}`);
  for (const { token, key, found } of told)
    if (found !== (contentOf(key) ?? null))
      throw new Violation('answers belong to their keys', `${TOLD} ${token} of ${key} has found ${found}`);
}
