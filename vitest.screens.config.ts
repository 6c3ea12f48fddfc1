import { defineConfig } from 'vitest/config';

/** `npm run panel:screens`: pictures of every page, in dist/screens; those that the docs show are in docs/panel. */
export default defineConfig({
  test: {
    globalSetup: 'tests/support/build-panel.ts',
    include: ['tests/browser/screens.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
