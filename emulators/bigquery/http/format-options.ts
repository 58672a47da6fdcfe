/** Which way TIMESTAMPs are to be shown. */
import { invalid } from '../api-error.ts';
import type { TimestampFormat } from '../wire/value.ts';
import type { Json } from './request.ts';

function formatOf(useInt64: unknown, output: unknown): TimestampFormat {
  if (output !== undefined && output !== null && output !== 'TIMESTAMP_OUTPUT_FORMAT_UNSPECIFIED') {
    if (output === 'INT64' || output === 'FLOAT64' || output === 'ISO8601_STRING') return output;
    throw invalid(`Invalid timestampOutputFormat: ${String(output)}`);
  }
  return useInt64 === true || useInt64 === 'true' ? 'INT64' : 'FLOAT64';
}

/** From a query string: `formatOptions.useInt64Timestamp=true`. */
export function formatFromQuery(query: URLSearchParams): TimestampFormat {
  return formatOf(
    query.get('formatOptions.useInt64Timestamp'),
    query.get('formatOptions.timestampOutputFormat') ?? undefined,
  );
}

/** From a body: `{"formatOptions": {"useInt64Timestamp": true}}`. */
export function formatFromBody(body: Json): TimestampFormat {
  const options = (body['formatOptions'] ?? {}) as Json;
  return formatOf(options['useInt64Timestamp'], options['timestampOutputFormat']);
}
