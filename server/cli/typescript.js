import { register } from 'node:module';

// Node.js from 22.18 on reads TypeScript by itself. For older ones the types are taken away, and nothing else changes.
if (!process.features.typescript) register('./typescript-hooks.js', import.meta.url);
