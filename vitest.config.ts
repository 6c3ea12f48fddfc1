import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['fast-files', 'build-panel', 'build-program', 'left-out'].map((name) => `tests/support/${name}.ts`),
    include: ['tests/**/*.test.ts'],
    exclude: ['long', 'browser', 'check', 'packages', 'node_modules'].map((folder) => `tests/${folder}/**`),
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
  },
});
