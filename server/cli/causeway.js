#!/usr/bin/env node
// SQLite's addon is built on Node-API 10 and crashes where Node.js has an older one: refuse before it is loaded.
if (Number(process.versions.napi) < 10) {
  process.stderr.write(
    `causeway: needs Node.js 22.14 or newer (24 is recommended); this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}
const { findProgram } = await import('./program.js');
await import(await findProgram());
