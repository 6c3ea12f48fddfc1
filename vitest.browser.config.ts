import { defineConfig } from 'vitest/config';

/** For `.ci/panel`: real browsers, one after the other. */
export default defineConfig({
  test: {
    globalSetup: 'tests/support/build-panel.ts',
    include: ['tests/browser/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
