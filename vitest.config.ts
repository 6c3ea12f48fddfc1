import { defineConfig } from 'vitest/config';

/** Folders whose tests have a run of their own. */
export const OTHER_RUNS = ['long', 'browser', 'check', 'packages', 'examples', 'luanti', 'node_modules'].map(
  (folder) => `tests/${folder}/**`,
);

/** `npm test`: everything but the files `*.long.test.ts`, so that it ends within 90 s on two cores. */
export default defineConfig({
  test: {
    globalSetup: ['fast-files', 'build-panel', 'build-program', 'left-out'].map((name) => `tests/support/${name}.ts`),
    include: ['tests/**/*.test.ts'],
    exclude: ['tests/**/*.long.test.ts', ...OTHER_RUNS],
    pool: 'forks',
    // No module keeps state, so files may share a process: importing everything anew costs a third of the time.
    isolate: false,
    // More than there are cores on a small machine: tests of a game server wait for its ticks half of their time.
    maxWorkers: 4,
    // Half of what is allocated is gone at once: more room for it saves a twentieth of the time.
    execArgv: ['--max-semi-space-size=64'],
    // Only for tests that hang: a busy machine is slow, and no test measures time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
