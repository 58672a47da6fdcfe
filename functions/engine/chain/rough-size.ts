/** Values looked at for one estimate; what is beyond is taken to be like what was seen. */
const MOST_LOOKED_AT = 1_000;
/** Of a number, a boolean, a date and the like. */
const SMALL = 8;

/**
 * About how many characters a value would have as JSON, without writing it: texts count in full, of long lists and deep
 * trees the first part stands for the rest. For deciding when enough is in memory, never for limits that must hold.
 */
export function roughSize(value: unknown): number {
  return sizeOf(value, { left: MOST_LOOKED_AT });
}

function sizeOf(value: unknown, looks: { left: number }): number {
  looks.left -= 1;
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return SMALL;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (Array.isArray(value)) return sizeOfMembers(value, value.length, looks);
  if (value instanceof Map || value instanceof Set) return sizeOfMembers(value, value.size, looks);
  let size = SMALL;
  for (const name in value) {
    if (looks.left <= 0) break;
    size += name.length + sizeOf((value as Record<string, unknown>)[name], looks);
  }
  return size;
}

function sizeOfMembers(members: Iterable<unknown>, count: number, looks: { left: number }): number {
  let seen = 0;
  let size = 0;
  for (const member of members) {
    if (looks.left <= 0) break;
    size += sizeOf(member, looks);
    seen += 1;
  }
  return SMALL + (seen === 0 ? 0 : Math.ceil((size / seen) * count));
}
