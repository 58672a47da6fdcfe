import { defineConfig } from 'vitest/config';

/** The suites on Google's own analyser, which they install first: opt-in, since it has 112 MB. */
export default defineConfig({
  test: {
    include: ['test/googlesql/**/*.test.ts'],
    globalSetup: ['test/googlesql/global-setup.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    env: { METADATA_SERVER_DETECTION: 'none' },
  },
});
