import { join } from 'node:path';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

/** `npm run panel:dev` serves the panel with a hub on port 8080 behind it. */
export default defineConfig({
  root,
  build: {
    outDir: join(root, '../dist/panel'),
    emptyOutDir: true,
    target: 'es2022',
    // One file and, except for English, one with the language: two or three round trips and the page is there.
    modulePreload: false,
    rolldownOptions: {
      // 'use client' means nothing here.
      onLog: (level, log, report) => log.code === 'MODULE_LEVEL_DIRECTIVE' || report(level, log),
    },
    assetsInlineLimit: 0,
    // KiB before compression; the tests bound what is sent.
    chunkSizeWarningLimit: 1_024,
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
