import { defineConfig } from 'vitest/config';

/** What only the tools of `tests/package.json` can tell: part of `npm run check`. */
export default defineConfig({ test: { include: ['tests/check/**/*.test.ts'], testTimeout: 60_000 } });
