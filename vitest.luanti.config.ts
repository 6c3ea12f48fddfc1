import { defineConfig } from 'vitest/config';

/** For `.ci/luanti`: real servers and clients of Luanti, one file after the other. */
export default defineConfig({
  test: {
    include: ['tests/luanti/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
