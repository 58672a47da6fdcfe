/** What happens in a world, in words. */
import type { OutboxBody } from '../../../functions/engine/protocol/outbox.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import type { BusMessage } from '../../../functions/ports/bus.ts';
import type { Batch } from '../../../functions/ports/store.ts';
import { START } from '../scenario.ts';

export function describeMessage(message: BusMessage): string {
  if (message.kind === 'tick')
    return `a tick for ${message.target} (in ${time(message.inputWatermark)}, out ${time(message.outputWatermark)})`;
  return `${message.sender} -> ${message.target} #${message.number}`;
}

/** @param before the root as it stood */
export function describeBatch({ sets, deletes }: Batch, before: Root | undefined): string {
  const parts: string[] = [];
  for (const { collection, id, body } of sets) {
    if (collection === 'roots') parts.push(describeRoot(before, body as Root));
    else if (collection === 'outbox')
      parts.push(
        ...(body as OutboxBody).envelopes.map(
          ({ target, number, earliest, body }) => `gives ${target} #${number} at ${time(earliest)} ${body}`,
        ),
      );
    else parts.push(`sets ${collection}/${id} ${JSON.stringify(body)}`);
  }
  for (const { collection, id } of deletes) parts.push(`deletes ${collection}/${id}`);
  return parts.join('\n                 ');
}

/** Instants are told from the start of the run, in milliseconds. */
export function time(at: number): string {
  if (Math.abs(at) > 8e15) return at < 0 ? '-inf' : 'inf';
  return `${at - START}`;
}

function describeRoot(before: Root | undefined, after: Root): string {
  const parts: string[] = [];
  for (const sender in after.done) {
    const [was, is] = [before?.done[sender], after.done[sender]];
    if (JSON.stringify(was) !== JSON.stringify(is))
      parts.push(`done of ${sender} ${JSON.stringify(was ?? [])} -> ${JSON.stringify(is)}`);
  }
  for (const sender in before?.done ?? {}) if (after.done[sender] === undefined) parts.push(`forgets ${sender}`);
  for (const target in before?.open ?? {})
    if (after.open[target] === undefined) parts.push(`nothing open to ${target}`);
  for (const clock of ['inputWatermark', 'outputWatermark'] as const)
    if (before?.[clock] !== after[clock]) parts.push(`${clock} ${time(after[clock])}`);
  if (JSON.stringify(before?.holds ?? []) !== JSON.stringify(after.holds))
    parts.push(`holds ${after.holds.map(({ low, count }) => `${time(low)}×${count}`).join(' ') || 'nothing'}`);
  if (JSON.stringify(before?.extra) !== JSON.stringify(after.extra)) parts.push(`keeps ${JSON.stringify(after.extra)}`);
  return `${after.id}: ${parts.join('; ')}`;
}
