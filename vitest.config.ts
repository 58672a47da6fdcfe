import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/emulators/**', 'test/googlesql/**'],
    pool: 'forks',
    // No Google client of a test looks for a metadata server.
    env: { METADATA_SERVER_DETECTION: 'none' },
  },
});
