/** Strings by code points, as GoogleSQL counts them. */

/** True when UTF-16 units and code points are the same in it. */
function isSimple(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

/** The code points, each as a string. */
export function characters(text: string): string[] {
  return isSimple(text) ? text.split('') : Array.from(text);
}

export function characterLength(text: string): number {
  if (isSimple(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Code points `from` (from 0) to before `to`. */
export function sliceCharacters(text: string, from: number, to?: number): string {
  return isSimple(text) ? text.slice(from, to) : Array.from(text).slice(from, to).join('');
}

/** The offset in code points of an offset in UTF-16 units. */
export function characterOffset(text: string, units: number): number {
  return isSimple(text) ? units : characterLength(text.slice(0, units));
}

/** The offset in UTF-16 units of an offset in code points. */
export function unitOffset(text: string, offset: number): number {
  return isSimple(text) ? offset : Array.from(text).slice(0, offset).join('').length;
}
