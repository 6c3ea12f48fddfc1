import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** What floods the hub, does a thing ten thousand times, or takes more than the two minutes of `npm test`: `npm run test:long`. */
export default defineConfig({ test: { ...config.test, include: ['tests/long/**/*.test.ts'], exclude: [] } });
