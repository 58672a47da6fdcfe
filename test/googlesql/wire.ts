/** Types and values as the analyser's protocol has them, in the spelling that BigQuery's REST API uses. */

/** A `TypeProto`, as far as these suites meet it. */
export interface WireType {
  readonly typeKind: string;
  readonly arrayType?: { readonly elementType: WireType };
  readonly structType?: { readonly field?: readonly { readonly fieldName?: string; readonly fieldType: WireType }[] };
}

/** A `ValueProto`: `value` names the field that is set. Nothing set is NULL. */
export interface WireValue {
  readonly value?: string;
  readonly [field: string]: unknown;
}

/** The type of a scalar by its name in SQL. */
export function scalarType(name: string): WireType {
  return { typeKind: `TYPE_${name === 'FLOAT64' ? 'DOUBLE' : name}` };
}

/** `ARRAY<STRUCT<a INT64>>`. */
export function typeName(type: WireType): string {
  if (type.arrayType !== undefined) return `ARRAY<${typeName(type.arrayType.elementType)}>`;
  if (type.typeKind === 'TYPE_STRUCT') {
    const fields = type.structType?.field ?? [];
    return `STRUCT<${fields.map((field) => `${field.fieldName ? `${field.fieldName} ` : ''}${typeName(field.fieldType)}`).join(', ')}>`;
  }
  const kind = type.typeKind.slice('TYPE_'.length);
  return kind === 'DOUBLE' ? 'FLOAT64' : kind;
}

/** A value as BigQuery's wire has it: scalars as texts, TIMESTAMP in microseconds; arrays and structs as lists. */
export function plainValue(value: WireValue | undefined, type: WireType | undefined): unknown {
  const kind = value?.value;
  if (value === undefined || kind === undefined) return type?.arrayType === undefined ? null : [];
  const content = value[kind];
  switch (kind) {
    case 'int64Value':
    case 'boolValue':
      return String(content);
    case 'doubleValue':
      return String(Number(content));
    case 'stringValue':
    case 'jsonValue':
      return content;
    case 'bytesValue':
      return (content as Buffer).toString('base64');
    case 'dateValue':
      return new Date((content as number) * 86_400_000).toISOString().slice(0, 10);
    case 'timestampValue': {
      const { seconds = 0, nanos = 0 } = content as { seconds?: string; nanos?: number };
      return String(BigInt(seconds) * 1_000_000n + BigInt(Math.trunc(nanos / 1000)));
    }
    case 'datetimeValue': {
      const { bitFieldDatetimeSeconds, nanos = 0 } = content as { bitFieldDatetimeSeconds: string; nanos?: number };
      return `${civilDate(BigInt(bitFieldDatetimeSeconds) >> 17n)}T${clockTime(BigInt(bitFieldDatetimeSeconds), nanos)}`;
    }
    case 'timeValue':
      return clockTime(BigInt(content as string) >> 30n, Number(BigInt(content as string) & 0x3fffffffn));
    case 'numericValue':
      return decimal(content as Buffer, 9);
    case 'bignumericValue':
      return decimal(content as Buffer, 38);
    case 'intervalValue':
      return interval(content as Buffer);
    case 'arrayValue': {
      const { element = [] } = content as { element?: WireValue[] };
      return element.map((one) => plainValue(one, type?.arrayType?.elementType));
    }
    case 'structValue': {
      const { field = [] } = content as { field?: WireValue[] };
      return field.map((one, i) => plainValue(one, type?.structType?.field?.[i]?.fieldType));
    }
    default:
      throw new Error(`a value of kind ${kind} is not read by these suites`);
  }
}

function bits(packed: bigint, from: number, width: number, digits = 2): string {
  return String((packed >> BigInt(from)) & ((1n << BigInt(width)) - 1n)).padStart(digits, '0');
}

/** Year, month and day, packed. */
function civilDate(packed: bigint): string {
  return `${bits(packed, 9, 14, 4)}-${bits(packed, 5, 4)}-${bits(packed, 0, 5)}`;
}

/** Hour, minute and second, packed, and nanoseconds. */
function clockTime(packed: bigint, nanos: number): string {
  return `${bits(packed, 12, 5)}:${bits(packed, 6, 6)}:${bits(packed, 0, 6)}${fraction(Math.trunc(nanos / 1000))}`;
}

/** Milliseconds where they say it all, else microseconds. */
function fraction(micros: number): string {
  if (micros === 0) return '';
  const digits = String(micros).padStart(6, '0');
  return `.${digits.endsWith('000') ? digits.slice(0, 3) : digits}`;
}

/** A two's-complement little-endian integer, in units of 10^-scale. */
function decimal(bytes: Buffer, scale: number): string {
  let value = 0n;
  for (const byte of [...bytes].reverse()) value = (value << 8n) | BigInt(byte);
  value = BigInt.asIntN(8 * bytes.length, value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const behind = digits.slice(-scale).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}${behind === '' ? '' : `.${behind}`}`;
}

/** Microseconds, days, months and a sign, packed. */
function interval(bytes: Buffer): string {
  const micros = bytes.readBigInt64LE(0);
  const packed = bytes.readUInt32LE(12);
  const months = (packed & 0x7fffffff) >>> 13;
  const size = micros < 0n ? -micros : micros;
  const seconds = size / 1_000_000n;
  const clock = `${seconds / 3600n}:${(seconds / 60n) % 60n}:${seconds % 60n}${fraction(Number(size % 1_000_000n))}`;
  return `${packed & 0x80000000 ? '-' : ''}${Math.trunc(months / 12)}-${months % 12} ${bytes.readInt32LE(8)} ${micros < 0n ? '-' : ''}${clock}`;
}
