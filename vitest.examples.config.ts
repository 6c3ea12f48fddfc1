import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** For `.ci/minecraft`: examples whose packages `npm test` does not install. */
export default defineConfig({ test: { ...config.test, include: ['tests/examples/**/*.test.ts'], exclude: [] } });
