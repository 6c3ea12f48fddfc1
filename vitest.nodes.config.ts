import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** The tests of one hub over three nodes, whose addresses are used in turn: `.ci/cluster`. */
export default defineConfig({
  test: {
    ...config.test,
    include: ['tests/server/**/*.test.ts'],
    // They make their own nodes, or no hub at all.
    exclude: [
      'platform/iso-time',
      'gateway/admission-batches',
      'cluster/router-bus',
      'cluster/revocation-nodes',
      'auth/shared-rate-limit',
    ].map((name) => `tests/server/${name}.test.ts`),
    setupFiles: ['tests/cluster/one-node.ts'],
    env: { TEST_NODES: '3' },
  },
});
