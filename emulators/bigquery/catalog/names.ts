/** Which names BigQuery takes for projects, datasets, tables and columns. */
import { ApiError } from '../api-error.ts';

const PROJECT = /^[a-z0-9.:_-]{1,100}$/i;
const DATASET = /^[A-Za-z0-9_]{1,1024}$/;
const TABLE = /^[\p{L}\p{M}\p{N}\p{Pc}\p{Pd}\p{Zs}]{1,1024}$/u;
const COLUMN = /^[\p{L}_][\p{L}\p{M}\p{N}_&%=+:'<>#| -]{0,299}$/u;
const RESERVED_COLUMN = /^(_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_)/i;
const JOB = /^[A-Za-z0-9_-]{1,1024}$/;

function check(pattern: RegExp, value: unknown, what: string, rule: string): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new ApiError('invalid', `Invalid ${what} ${JSON.stringify(value) ?? 'undefined'}: ${rule}`);
}

export function checkProjectId(value: unknown): string {
  return check(PROJECT, value, 'project ID', 'project IDs must contain letters, digits, dots, colons and dashes');
}

export function checkDatasetId(value: unknown): string {
  return check(
    DATASET,
    value,
    'dataset ID',
    'dataset IDs must be alphanumeric (plus underscores) and at most 1024 characters long',
  );
}

export function checkTableId(value: unknown): string {
  return check(
    TABLE,
    value,
    'table ID',
    'table IDs must be letters, marks, digits, connectors, dashes or spaces, and at most 1024 characters long',
  );
}

export function checkJobId(value: unknown): string {
  return check(
    JOB,
    value,
    'job ID',
    'job IDs must be alphanumeric (plus underscores and dashes) and at most 1024 characters long',
  );
}

export function checkColumnName(value: unknown): string {
  const name = check(
    COLUMN,
    value,
    'field name',
    'fields must contain only letters, numbers and underscores, start with a letter or underscore, and be at most 300 characters long',
  );
  if (RESERVED_COLUMN.test(name)) throw new ApiError('invalid', `Invalid field name "${name}": the prefix is reserved`);
  return name;
}
