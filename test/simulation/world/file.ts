/** A file that somebody changes now and then, as a whole. Each of its lines says which version it is of. */
import type { OpenSource } from '../../../functions/engine/views/loader.ts';
import { type RefreshedSpec, START } from '../scenario.ts';
import type { Instance } from './instance.ts';
import type { Surroundings } from './surroundings.ts';

const CALL_TIME = 50;
/** Lines that are read at a time. */
const AT_ONCE = 2;

export interface FileLine {
  readonly version: number;
  readonly line: number;
}

/** Which version the file has at a moment. */
export function versionAt(now: number, { changesEvery }: RefreshedSpec): number {
  return Math.floor((now - START) / changesEvery);
}

/** The port of one instance. A file that is open stays as it was. */
export function openFile({ scheduler }: Surroundings, spec: RefreshedSpec, instance: Instance): OpenSource {
  return async function* () {
    const version = versionAt(scheduler.now, spec);
    for (let line = 0; line < spec.lines; line += AT_ONCE) {
      const lines = Array.from({ length: Math.min(AT_ONCE, spec.lines - line) }, (_, i) => line + i);
      yield await instance.call('read the file', CALL_TIME, async () =>
        lines.map((number) => ({
          value: { version, line: number } satisfies FileLine,
          id: `${version}-${number}`,
          arrival: instance.clock.now(),
        })),
      );
    }
  };
}
