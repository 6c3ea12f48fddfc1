import { defineConfig } from 'vitest/config';

/** Tests that need the tools of `tests/package.json`: part of `npm run check`. */
export default defineConfig({ test: { include: ['tests/check/**/*.test.ts'], testTimeout: 60_000 } });
