import { messageOf } from './errors.ts';

interface Issue {
  readonly path?: readonly PropertyKey[];
  readonly message: string;
}

/**
 * What a schema says of a value that it refuses, in one line: `cents: expected number, received string; at: …`. Any error
 * with zod's list of issues is understood; of others it is the message.
 */
export function schemaProblem(error: unknown): string {
  const issues = (error as { readonly issues?: readonly Issue[] } | null)?.issues;
  if (!Array.isArray(issues) || issues.length === 0) return messageOf(error);
  return issues
    .map(({ path = [], message }: Issue) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
}
