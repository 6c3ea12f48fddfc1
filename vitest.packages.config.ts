import { defineConfig } from 'vitest/config';

/** For `.ci/release`: each package of `npm run release` in an empty folder, one after the other. */
export default defineConfig({
  test: {
    include: ['tests/packages/**/*.test.ts'],
    fileParallelism: false,
    // Only for tests that hang: a busy machine is slow.
    testTimeout: 400_000,
    hookTimeout: 120_000,
  },
});
