import { optionalFunction } from '../author-function.ts';
import type { ElementContext } from '../dofn.ts';
import { ConfigurationError } from '../errors.ts';
import type { DeduplicateNode, Ref } from '../graph.ts';
import type { Key } from '../key.ts';
import { checkOptions } from '../options.ts';
import { type Duration, millis } from '../time.ts';
import type { WindowingStrategy } from '../windowing.ts';
import { isMerging } from '../windows.ts';

export interface DeduplicateOptions<T> {
  /** What makes two elements the same. Default: of keyed elements the key, of others the element itself. */
  readonly by?: (value: T, context: ElementContext) => Key;
  /**
   * For how long an element is remembered; one that is the same and comes after that may pass again. Default ten minutes.
   * A window's elements are told apart from those of other windows.
   */
  readonly horizon?: Duration;
  /**
   * On which clock the horizon runs: `processing` from when an element came, `event` from its timestamp, or from the
   * watermark when it came late. Default `processing`.
   */
  readonly clock?: 'event' | 'processing';
}

/** @throws {ConfigurationError} for windows that merge, and options that are none */
export function deduplicateNode<T>(
  name: string,
  input: Ref,
  strategy: WindowingStrategy,
  keyed: boolean,
  options: DeduplicateOptions<T>,
): DeduplicateNode {
  const where = `deduplicate '${name}'`;
  checkOptions(where, options, { by: true, horizon: true, clock: true });
  const { clock = 'processing' } = options;
  const by = optionalFunction(`${where} by`, options.by);
  if (clock !== 'processing' && clock !== 'event')
    throw new ConfigurationError(`${where} clock: expected 'processing' or 'event', got ${JSON.stringify(clock)}`);
  if (isMerging(strategy.windowFn))
    throw new ConfigurationError(
      `${where}: what was seen cannot follow windows that merge; deduplicate before the window(…), or group first`,
    );
  const own = keyed ? (value: unknown) => (value as { key: Key }).key : (value: unknown) => value;
  return {
    kind: 'deduplicate',
    name,
    inputs: [input],
    strategy,
    by: (by as DeduplicateNode['by'] | undefined) ?? own,
    horizon: millis(`${where} horizon`, options.horizon ?? '10m', 1),
    clock,
  };
}
