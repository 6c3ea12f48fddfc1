import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['build-panel', 'build-program', 'left-out'].map((name) => `tests/support/${name}.ts`),
    include: ['tests/**/*.test.ts'],
    exclude: ['tests/long/**', 'tests/browser/**'],
    pool: 'forks',
    // No module keeps state, so files may share a process: importing everything anew costs a third of the time.
    isolate: false,
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
