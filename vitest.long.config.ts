import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** What floods the hub, or does a thing ten thousand times: `npm run test:long`. */
export default defineConfig({ test: { ...config.test, include: ['tests/long/**/*.test.ts'], exclude: [] } });
