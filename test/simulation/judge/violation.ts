/** Something that must never be, and was seen. */
export class Violation extends Error {
  /** Which rule is broken: the same for every run that breaks it. */
  readonly rule: string;

  constructor(rule: string, what: string) {
    super(`${rule}: ${what}`);
    this.name = 'Violation';
    this.rule = rule;
  }
}
