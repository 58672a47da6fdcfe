/** Ranges of numbers as roots keep them. Nothing is taken for granted: neither that they are in order, nor that they are apart. */

export type Range = readonly [from: number, to: number];

/** The numbers of `ranges` that are in none of `others`. */
export function numbersOnlyIn(ranges: readonly Range[], others: readonly Range[]): number[] {
  const numbers: number[] = [];
  for (const [from, to] of ranges) {
    let number = from;
    while (number <= to) {
      const other = others.find((range) => range[0] <= number && number <= range[1]);
      if (other === undefined) numbers.push(number);
      number = (other?.[1] ?? number) + 1;
    }
  }
  return numbers;
}
