/** SQL of a call to one overload whose arguments already have its types. */
import type { Overload } from '../functions/definition.ts';
import type { Type } from '../types/type.ts';
import { describeTypes } from '../runtime/type-descriptor.ts';
import { stringLiteral } from './sql-text.ts';
import { type Typed, typed } from './typed.ts';

function nativeSql(template: string, args: readonly string[]): string {
  return template.replace(/\$(\*|#|\d)/g, (_, which: string) => {
    if (which === '*') return args.join(', ');
    return which === '#' ? String(args.length) : (args[Number(which) - 1] ?? 'NULL');
  });
}

/** With `safe`, what would throw is NULL. */
export function callOverload(overload: Overload, values: readonly Typed[], result: Type, safe: boolean): Typed {
  const { body, runtimeName, signature, jsonText } = overload;
  const args = values.map((value) => value.sql);
  const name = `${safe ? 'try_' : ''}${runtimeName}`;
  const more = jsonText ? { jsonText: true } : {};
  if (body.kind === 'native') {
    const sql = nativeSql(body.template, args);
    return typed(safe && !body.total ? `TRY(${sql})` : sql, result, more);
  }
  if (body.kind === 'typed') {
    return typed(
      `${name}(${[stringLiteral(describeTypes(values.map((value) => value.type))), ...args].join(', ')})`,
      result,
      more,
    );
  }
  const suffix = signature.parameters.at(-1)?.repeated ? '' : `_${args.length}`;
  return typed(`${name}${suffix}(${args.join(', ')})`, result, more);
}
