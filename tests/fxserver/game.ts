import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { bundle } from '../../bridge/bundle.ts';
import { createKvp, type Kvp } from './kvp.ts';
import { createMysql, type Mysql } from './mysql.ts';
import { createFxServer, type FxServer, type Resource } from './server.ts';

const BRIDGE = join(import.meta.dirname, '../../bridge');
const FAKES = join(import.meta.dirname, 'frameworks');

let built: Promise<vm.Script> | undefined;

/** The server scripts that a manifest lists, in its order. */
export const scriptsOf = (manifest: string): string[] =>
  [...(/server_scripts\s*\{([^}]*)\}/.exec(manifest)?.[1] ?? '').matchAll(/'([^']+)'/g)].map((match) => match[1] ?? '');

/** The resource as it is shipped: its Lua, and its JavaScript built once for all tests of a process. */
export const causeway = async () => {
  built ??= bundle().then((code) => new vm.Script(code, { filename: 'dist/server.js' }));
  const lua = scriptsOf(readFileSync(join(BRIDGE, 'fxmanifest.lua'), 'utf8'))
    .filter((path) => path.endsWith('.lua'))
    .map((path) => ({ name: path, code: readFileSync(join(BRIDGE, path), 'utf8') }));
  return { name: 'causeway', lua, js: [await built] };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Starts a fake that is written in Lua; `before` is run ahead of it. */
export const luaFake =
  (resource: string, file: string, before = '') =>
  (server: FxServer): Promise<void> =>
    server.start({
      name: resource,
      lua: [
        { name: 'before.lua', code: before },
        { name: file, code: readFileSync(join(FAKES, file), 'utf8') },
      ],
    });

/** The setup of a framework: its tables and its fake. */
export type Framework = {
  /** Its tables in SQLite, as the framework's own installer makes them, and their rows. */
  tables: string;
  realTables: string;
  rows: string;
  install(server: FxServer, mysql: Mysql): void | Promise<void>;
  /** Loads a player's character and spawns it, with events of the fakes. */
  load?(server: FxServer, source: number, identifier: string): Promise<void>;
  spawn?(server: FxServer, source: number): void;
};

export const fill = (mysql: Mysql, { tables, realTables, rows }: Framework): Promise<void> =>
  mysql.create({ simple: tables + rows, real: realTables + rows });

export type GameOptions = {
  framework?: Framework;
  url: string;
  token: string;
  mysql?: Mysql;
  kvp?: Kvp;
  /** Milliseconds between two ticks; a real server has 50. */
  tickMs?: number;
  /** How much faster than time the clock of the game goes; 5 unless given. */
  speed?: number;
  /** Factor by which the game's machine seems slower than this one; 1 unless given. */
  slowness?: number;
  /** The folder of the unpacked resource; default: its sources. */
  bridge?: Resource;
};

/** A game server with its framework and the shipped resource in it, running. */
export const startGame = async (options: GameOptions) => {
  const {
    framework,
    url,
    token,
    mysql = createMysql(),
    kvp = createKvp(),
    tickMs = 5,
    speed = 5,
    slowness = 1,
  } = options;
  const server = createFxServer({
    kvp,
    now: () => performance.now() * speed,
    clock: () => performance.now() * 1_000 * slowness,
  });
  server.convars.set('causeway_url', url).set('causeway_token', token);
  server.convarReaders.set('causeway_token', ['causeway']);
  server.provide('oxmysql', mysql.exports);
  if (framework !== undefined) {
    await fill(mysql, framework);
    await framework.install(server, mysql);
  }
  const loadAs = framework?.load ?? (async (_, ...who) => server.emit('fake:load', '', ...who));
  const load = async (source: number, identifier: string): Promise<void> => {
    await loadAs(server, source, identifier);
    await mysql.quiet();
    await turn();
  };
  const spawn = framework?.spawn ?? ((_, source) => server.emit('fake:spawn', '', source));
  const resource = options.bridge ?? (await causeway());
  await server.start(resource);
  server.run(tickMs);
  return {
    server,
    mysql,
    kvp,
    /** Loads the character of a connected player. */
    load,
    /** A player connects; the character is loaded and, by default, spawned. Returns the server id. */
    join: async (identifier: string, { name = 'Player', identifiers = [] as string[], isSpawned = true } = {}) => {
      const source = server.join(name, identifiers);
      await load(source, identifier);
      if (isSpawned) spawn(server, source);
      return source;
    },
    restartBridge: (): Promise<void> => server.restart('causeway'),
  };
};
