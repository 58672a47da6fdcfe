/** Which `%` elements belong to a date, and which to a time of day. */
const DATE_ELEMENTS = new Set('AaBbhCDdeFGgJjmQUuVWwxYy');
const TIME_ELEMENTS = new Set('HIklMPpRrSTX');
const BOTH = new Set('cs');

/** Whether a date alone, or a time alone, has what an element stands for. */
export function isElementOf(element: string, only: 'date' | 'time'): boolean {
  const kind = element.at(-1)!;
  return !BOTH.has(kind) && !(only === 'date' ? TIME_ELEMENTS : DATE_ELEMENTS).has(kind);
}

export function isZoneElement(element: string): boolean {
  return /^(Z|E?z)$/.test(element);
}
