import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Only for tests that hang: a busy machine is slow, and no test measures time. */
const patient = (ms: number) => ({ testTimeout: ms, hookTimeout: ms, expect: { poll: { timeout: 30_000 } } });

/** Folders whose tests have a project of their own. */
const OTHERS = ['bridge', 'bridge-lua', 'long', 'browser', 'check', 'packages', 'examples', 'luanti', 'node_modules'];
const LONG = 'tests/**/*.long.test.ts';
/** Of one hub over three nodes (`.ci/nodes`), these make their own nodes, or no hub at all. */
const NOT_OVER_NODES = ['gateway/door', 'cluster/router-bus', 'cluster/revocation-nodes', 'auth/shared-rate-limit'];
/**
 * Half of the time of all tests of the hub, for bounds under load, for processes, and for what is rare: restored backups,
 * repeated steps, broken lines. They are no part of `npm test`, and `.ci/run` runs them on each change.
 */
const HEAVY = [
  'chaos/goods',
  'clients/typescript/events',
  'clients/typescript/examples',
  'clients/typescript/outcome',
  'clients/typescript/runtimes',
  'clients/typescript/truth',
  'db/migrations',
  'db/queries/search',
  'model/protocol',
  'promises/restores/restores',
  'promises/security/secrets',
  'readme',
  'server/admin/bounds-at-once',
  'server/cli/demo',
  'server/cli/program',
  'server/cli/replaced',
  'server/cli/runtime',
  'server/cli/starts',
  'server/cluster/events',
  'server/commands/life',
  'server/events/kept-events',
  'server/http/exports',
  'server/http/nested-bodies',
  'server/http/turns',
  'server/http/turns-of-changes',
  'server/schedules/storm',
  'server/shops/catch-up',
  'server/shops/neighbours',
  'server/shops/refunded-jobs',
  'server/shops/restored',
  'server/shops/shuffled',
  'server/shops/webhook-limit',
  'server/waiting/ended-batch',
  'server/waiting/kill',
  'server/waiting/open-batches',
  'server/waiting/repeated-step',
  'server/waiting/restored',
  'server/waiting/restored-batch',
  'server/waiting/restored-keys',
  'server/waiting/schedule-kill',
  'server/waiting/schedule-misses',
  'server/waiting/steps',
  'server/waiting/undo-batch',
  'server/waiting/void-faults',
].map((name) => {
  const file = `tests/${name}.test.ts`;
  if (!existsSync(file)) throw new Error(`vitest.config.ts names ${file}, which is not there`);
  return file;
});
const isOverNodes = process.env['TEST_NODES'] !== undefined;
const setupFiles = isOverNodes ? ['tests/cluster/one-node.ts'] : [];

const shared = {
  globalSetup: ['fast-files', 'build-panel', 'build-program', 'left-out'].map((name) => `tests/kit/${name}.ts`),
  pool: 'forks' as const,
  // No module keeps state, so files may share a process: importing everything anew costs a third of the time.
  isolate: false,
  // Node.js reads the sources as it does for the product: Vite's own reading of them costs a quarter of all time.
  experimental: { viteModuleRunner: false },
  // Half of what is allocated is gone at once: more room for it saves a twentieth of the time.
  execArgv: ['--max-semi-space-size=64'],
  ...patient(60_000),
};
/** A test after another: a game or a package uses the whole machine. */
const alone = { pool: 'forks' as const, isolate: false, fileParallelism: false };

/** Each file of `tests/` belongs to one project. `npm test` runs `hub`, `.ci/run` runs the others. */
export default defineConfig({
  test: {
    // More than there are cores on a small machine: tests of a game server wait for its ticks half of their time.
    maxWorkers: 4,
    projects: [
      {
        test: {
          ...shared,
          name: 'hub',
          include: ['tests/**/*.test.ts'],
          exclude: [
            LONG,
            ...HEAVY,
            ...OTHERS.map((folder) => `tests/${folder}/**`),
            ...(isOverNodes ? NOT_OVER_NODES.map((file) => `tests/server/${file}.test.ts`) : []),
          ],
          setupFiles,
        },
      },
      { test: { ...shared, name: 'heavy', include: HEAVY, setupFiles } },
      {
        test: { ...shared, name: 'bridge', include: ['tests/{bridge,bridge-lua}/**/*.test.ts'], exclude: [LONG] },
      },
      {
        test: {
          ...shared,
          name: 'long',
          include: ['tests/long/**/*.test.ts', LONG],
          exclude: ['tests/{luanti,browser}/**', 'tests/node_modules/**'],
        },
      },
      { test: { name: 'check', include: ['tests/check/**/*.test.ts'], ...patient(60_000) } },
      {
        test: {
          // Two browsers use two cores; a test waits for its page half of the time.
          pool: 'forks',
          isolate: false,
          maxWorkers: 2,
          name: 'browser',
          env: { TEST_PANEL: 'yes' },
          globalSetup: ['tests/kit/fast-files.ts', 'tests/kit/build-panel.ts'],
          include: ['tests/browser/**/*.test.ts'],
          ...patient(120_000),
        },
      },
      {
        test: {
          name: 'screens',
          env: { TEST_PANEL: 'yes' },
          globalSetup: 'tests/kit/build-panel.ts',
          include: ['tests/browser/{screens,speed}.ts'],
          ...patient(170_000),
        },
      },
      { test: { ...alone, name: 'luanti', include: ['tests/luanti/**/*.test.ts'], ...patient(120_000) } },
      { test: { ...shared, name: 'examples', include: ['tests/examples/**/*.test.ts'] } },
      { test: { ...alone, name: 'packages', include: ['tests/packages/**/*.test.ts'], ...patient(400_000) } },
    ],
  },
});
