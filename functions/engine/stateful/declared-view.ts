import { ConfigurationError } from '../../model/errors.ts';

/** What declared names stand for, for one owner. */
type View = Readonly<Record<string, unknown>>;

/**
 * Makes objects whose members are what a step has declared. Members are made when they are used; a name that is not
 * declared is refused with those that are.
 * @param what `state` or `timer`
 * @param member makes what a name stands for
 */
export function declaredView<Owner>(
  what: string,
  step: string,
  names: readonly string[],
  member: (owner: Owner, name: string) => unknown,
): (owner: Owner) => View {
  class Declared {
    readonly #owner: Owner;
    constructor(owner: Owner) {
      this.#owner = owner;
    }
    static member(view: Declared, name: string): unknown {
      return member(view.#owner, name);
    }
  }
  for (const name of names)
    Object.defineProperty(Declared.prototype, name, {
      get(this: Declared) {
        return Declared.member(this, name);
      },
    });
  Object.setPrototypeOf(Declared.prototype, refusing(what, step, names));
  return (owner) => new Declared(owner) as unknown as View;
}

function refusing(what: string, step: string, names: readonly string[]): object {
  return new Proxy(Object.freeze({}), {
    get(target, name) {
      // The language and test tools ask for members of their own, such as `then` and `toJSON`.
      if (typeof name !== 'string' || ['then', 'toJSON'].includes(name)) return Reflect.get(target, name);
      const declared = names.length === 0 ? 'it declares none' : `it declares ${names.join(', ')}`;
      throw new ConfigurationError(`'${step}' has no ${what} '${name}'; ${declared}`);
    },
  });
}
