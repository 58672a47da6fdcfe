const PLAIN = /^[A-Za-z0-9_./:=@%+-]+$/;

/** A text as one word of bash in which nothing is expanded. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
