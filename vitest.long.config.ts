import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Floods, tests that do a thing ten thousand times, and tests that need much processor time: `npm run test:long`. */
export default defineConfig({
  test: { ...config.test, include: ['tests/long/**/*.test.ts', 'tests/**/*.long.test.ts'], exclude: [] },
});
