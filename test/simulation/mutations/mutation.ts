/** A fault that is put into the engine's source text while it is loaded, to see that the simulation notices. */
export interface Mutation {
  readonly name: string;
  /** From the root of the project. */
  readonly file: string;
  /** Text that stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

/** The environment variable that names the mutation for a process or thread. */
export const MUTATION = 'MILLRACE_MUTATION';

/** The module to load before all else, which puts it there. */
export const hook = new URL('./hook.ts', import.meta.url).href;

/** @throws {Error} when the text is no longer there as it was: the mutation has to be written anew */
export function mutate({ name, file, from, to }: Mutation, source: string): string {
  const parts = source.split(from);
  if (parts.length !== 2)
    throw new Error(`mutation '${name}': ${file} has its text ${parts.length - 1} times instead of once`);
  return parts.join(to);
}
