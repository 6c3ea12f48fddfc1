#!/usr/bin/env node
// Older ones have no choice of which requests become WebSockets, so the answer of a payment can be lost. Before 22.14,
// SQLite's addon also ends the process when it is loaded.
const OLDEST = { 22: 21, 24: 9 };
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || major === 23 || minor < (OLDEST[major] ?? 0)) {
  const what = 'needs Node.js 24.9 or newer, or 22 from 22.21';
  process.stderr.write(`causeway: ${what}; this is ${process.versions.node}. Get it at https://nodejs.org.\n`);
  process.exit(1);
}
const [first, ...others] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && others.length === 0) {
  const { readFileSync } = await import('node:fs');
  const about = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${JSON.parse(about).version}\n`);
} else {
  const { findProgram } = await import('./program.js');
  await import(await findProgram());
}
