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
const { existsSync, readFileSync } = await import('node:fs');
const { enableCompileCache } = await import('node:module');
const { basename, sep } = await import('node:path');
const { fileURLToPath } = await import('node:url');
const root = new URL('../../', import.meta.url);
const folder = fileURLToPath(root).replace(/[\\/]$/, '');
/** What runs this file again, from any folder: npm links it as `causeway`, and only a link outside of a project is in the PATH. */
const typed = (file) => {
  const path = /\s/.test(file) ? `"${file}"` : file;
  if (basename(file) === 'causeway.js') return `node ${path}`;
  return file.includes(`${sep}node_modules${sep}.bin${sep}`) ? path : 'causeway';
};
const [first, ...others] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && others.length === 0) {
  process.stdout.write(`${JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version}\n`);
} else {
  // A folder of this installation: in the system's temporary folder, other users could place code.
  enableCompileCache(fileURLToPath(new URL('node_modules/.cache/causeway/compiled', root)));
  const sources = new URL('server/cli/run.ts', root);
  const isCheckout = existsSync(sources);
  // Never npx, which outside of the checkout would fetch a package of another owner.
  process.env.CAUSEWAY_COMMAND ??=
    isCheckout && process.cwd() === folder ? 'npm run causeway --' : typed(process.argv[1]);
  await import(isCheckout ? sources : new URL('dist/program/run.js', root));
}
