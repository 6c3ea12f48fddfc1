import { defineConfig } from 'vitest/config';
import config, { OTHER_RUNS } from './vitest.config.ts';

/** `npm test` and the files `*.long.test.ts` beside them, for runs over a real service or another Node.js. */
export default defineConfig({ test: { ...config.test, exclude: OTHER_RUNS } });
