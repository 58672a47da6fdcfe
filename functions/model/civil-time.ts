import { utc } from './instant.ts';

/** Dates and times without a zone, as BigQuery reads them; of a second, microseconds. */
const FORMS = {
  DATE: /^\d{4}-\d\d-\d\d$/,
  DATETIME: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?$/,
  TIME: /^\d\d:\d\d:\d\d(\.\d{1,6})?$/,
} as const;

/** Whether a text is a date or time of its type, on a day that there is. */
export function isCivil(type: keyof typeof FORMS, text: string): boolean {
  return FORMS[type].test(text) && !Number.isNaN(utc(type === 'TIME' ? `2000-01-01T${text}` : text));
}
