/** The rows of branches that say which tokens are together in which window. */

export const TOKENS_BY_WINDOW = {
  columns: { k: 'STRING', window_start: 'INT64', window_end: 'INT64', tokens: 'JSON' },
  key: [],
  flush: { rows: 10, every: 10_000 },
} as const;

export function tokensByWindow(
  key: string,
  window: { readonly start: number; readonly end: number },
  tokens: readonly string[],
) {
  return { k: key, window_start: window.start, window_end: window.end, tokens };
}
