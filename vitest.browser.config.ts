import { defineConfig } from 'vitest/config';

/** For `.ci/panel`: one real browser, in one worker for all files. */
export default defineConfig({
  test: {
    globalSetup: ['tests/support/fast-files.ts', 'tests/support/build-panel.ts'],
    include: ['tests/browser/**/*.test.ts'],
    pool: 'forks',
    isolate: false,
    fileParallelism: false,
    // Only for tests that hang: a busy machine is slow, and no test measures time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
