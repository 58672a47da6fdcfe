import { plainFunction } from './author-function.ts';
import type { DoFn } from './dofn.ts';
import { ConfigurationError } from './errors.ts';

/** Each chain of fused steps has a DoFn of its own, so one that keeps fields between calls must be made anew. */
export function doFnMaker<T, U>(name: string, doFn: DoFn<T, U> | (() => DoFn<T, U>)): () => DoFn<T, U> {
  if (typeof doFn === 'function') {
    if (doFn.length > 0)
      throw new ConfigurationError(
        `parDo '${name}': a function that makes a DoFn has no parameters; for code on elements give { process(element, context) { … } }, or use map`,
      );
    return plainFunction(`parDo '${name}'`, doFn);
  }
  if (typeof doFn?.process !== 'function')
    throw new ConfigurationError(
      `parDo '${name}': expected a DoFn with a process method, or a function that makes one`,
    );
  if (doFn.setup ?? doFn.startBundle ?? doFn.finishBundle ?? doFn.teardown)
    throw new ConfigurationError(
      `parDo '${name}': a DoFn with setup, startBundle, finishBundle or teardown keeps something between calls; give a function that makes one, such as () => new MyDoFn()`,
    );
  return () => doFn;
}
