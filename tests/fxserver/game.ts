import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { bundle } from '../../bridge/bundle.ts';
import type { Kvp } from './kvp.ts';
import { createMysql, type Mysql } from './mysql.ts';
import { createFxServer } from './server.ts';

const BRIDGE = join(import.meta.dirname, '../../bridge');
const FAKES = join(import.meta.dirname, 'frameworks');

let built: Promise<vm.Script> | undefined;

/** The server scripts that a manifest lists, in its order. */
export const scriptsOf = (manifest: string): string[] =>
  [...(/server_scripts\s*\{([^}]*)\}/.exec(manifest)?.[1] ?? '').matchAll(/'([^']+)'/g)].map((match) => match[1] ?? '');

/** The resource as it is shipped: its Lua, and its JavaScript built once for all tests of a process. */
const causeway = async () => {
  built ??= bundle().then((code) => new vm.Script(code, { filename: 'dist/server.js' }));
  const lua = scriptsOf(readFileSync(join(BRIDGE, 'fxmanifest.lua'), 'utf8'))
    .filter((path) => path.endsWith('.lua'))
    .map((path) => ({ name: path, code: readFileSync(join(BRIDGE, path), 'utf8') }));
  return { name: 'causeway', lua, js: [await built] };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const fake = (resource: string, file: string) => ({
  name: resource,
  lua: [{ name: file, code: readFileSync(join(FAKES, file), 'utf8') }],
});

/** How a framework is set up: its resource, its fake, and its tables. */
export type Framework = { resource: string; file: string; tables: string };

export type GameOptions = {
  framework?: Framework;
  url: string;
  token: string;
  mysql?: Mysql;
  kvp?: Kvp;
  /** Milliseconds between two ticks; a real server has 50. */
  tickMs?: number;
};

/** A game server with its framework and the shipped resource in it, running. */
export const startGame = async ({ framework, url, token, mysql = createMysql(), kvp, tickMs = 5 }: GameOptions) => {
  const server = createFxServer(kvp === undefined ? {} : { kvp });
  server.convars.set('causeway_url', url).set('causeway_token', token);
  server.convarReaders.set('causeway_token', ['causeway']);
  server.provide('oxmysql', mysql.exports);
  if (framework !== undefined) {
    mysql.db.exec(framework.tables);
    await server.start(fake(framework.resource, framework.file));
  }
  const resource = await causeway();
  await server.start(resource);
  server.run(tickMs);
  return {
    server,
    mysql,
    /** Somebody connects, and his character is loaded and, unless told otherwise, spawned. Answers his server id. */
    join: async (identifier: string, { name = 'Player', identifiers = [] as string[], isSpawned = true } = {}) => {
      const source = server.join(name, identifiers);
      server.emit('fake:load', '', source, identifier);
      await turn();
      await turn();
      if (isSpawned) server.emit('fake:spawn', '', source);
      return source;
    },
    restartBridge: async (): Promise<void> => {
      server.stop('causeway');
      await server.start(resource);
    },
  };
};
