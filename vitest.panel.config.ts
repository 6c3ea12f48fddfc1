import { defineConfig } from 'vitest/config';

/** Runs with results that a person looks at: `npm run panel:screens` and `npm run panel:speed`. */
export default defineConfig({
  test: {
    globalSetup: 'tests/support/build-panel.ts',
    include: ['tests/browser/{screens,speed}.ts'],
    testTimeout: 170_000,
    hookTimeout: 60_000,
  },
});
