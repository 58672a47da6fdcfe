import { defineConfig } from 'vitest/config';

/** The suites that need the Pub/Sub and Firestore emulators: one file at a time, since they share the machine's ports and cores. */
export default defineConfig({
  test: {
    include: ['test/emulators/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
