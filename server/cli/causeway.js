#!/usr/bin/env node
// SQLite's addon is built on Node-API 10 and crashes where Node.js has an older one: refuse before it is loaded.
if (Number(process.versions.napi) < 10) {
  process.stderr.write(
    `causeway: needs Node.js 22.14 or newer (24 is recommended); this is ${process.versions.node}.\n`,
  );
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
