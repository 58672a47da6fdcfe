import { ConfigurationError } from './errors.ts';

/** The names of all options of a kind; the type checker sees to it that none is missing and none made up. */
export type OptionNames<T> = { readonly [name in keyof Required<T>]: true };

/**
 * Refuses what is no option: a misspelled one would be as good as left out.
 * @param where such as `window 'hourly'`
 * @throws {ConfigurationError} naming it, and the options that there are
 */
export function checkOptions<T extends object>(where: string, options: T, names: OptionNames<T>): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError(`${where}: expected options { ${list(names)} }, got ${describe(options)}`);
  for (const name of Object.keys(options))
    if (!Object.hasOwn(names, name))
      throw new ConfigurationError(`${where}: there is no option '${name}'; there are ${list(names)}`);
}

function list(names: object): string {
  return Object.keys(names).join(', ');
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return value === null ? 'null' : typeof value;
}
