#!/usr/bin/env node
// SQLite's addon is built on Node-API 10 and crashes where Node.js has an older one: refuse before it is loaded.
if (Number(process.versions.napi) < 10) {
  process.stderr.write(
    `causeway: needs Node.js 22.14 or newer (24 is recommended); this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}
await import('./typescript.js');
const { main } = await import('./main.ts');
await main(process.argv.slice(2));
