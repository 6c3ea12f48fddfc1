import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findResources, manifestIn, readResource } from './folder.ts';
import type { Framework } from './game.ts';
import type { FxServer } from './server.ts';

const GAME = readFileSync(join(import.meta.dirname, 'game.lua'), 'utf8');
const PLAYERS = readFileSync(join(import.meta.dirname, 'frameworks/players.lua'), 'utf8');

/** The event of a framework for a loaded character, with its server id or its player. */
type Loaded = { event: string; sourceOf: (told: never) => number };

/**
 * Has an event awaited that is about one player.
 * @throws Error with an uncaught error of the framework
 */
export const awaitLoad = (server: FxServer, { event, sourceOf }: Loaded, source: number): (() => Promise<void>) => {
  let isLoaded = false;
  server.hear(event, (told: never) => {
    isLoaded ||= Number(sourceOf(told)) === source;
  });
  return async () => {
    while (!isLoaded) {
      if (server.errors.length > 0) throw new Error(`${source} was not loaded: ${server.errors.join('\n')}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
};

/** Starts a resource of a folder after those that it depends on, of which some may be stand-ins already. */
const startReal = async (
  server: FxServer,
  name: string,
  resources: ReadonlyMap<string, string>,
  configured = '',
): Promise<void> => {
  const { lua, js, manifest } = await readResource(resources.get(name) ?? '', resources);
  server.manifests.set(name, manifest);
  for (const needed of manifest.get('dependencie') ?? []) {
    const isMissing = resources.has(needed) && !server.isStarted(needed);
    if (isMissing) await startReal(server, needed, resources);
  }
  const scripts = [{ name: 'game.lua', code: GAME }, ...lua, { name: 'configured.lua', code: configured }];
  await server.start({ name, lua: scripts, js });
};

/** Other resources ask oxmysql's manifest for its version, which its build copies from here. */
const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;

/** Lets the game go on until it has printed a line. */
const awaitLine = async (server: FxServer, line: RegExp): Promise<void> => {
  server.run(1);
  while (!server.lines.some((printed) => line.test(printed))) {
    if (server.errors.length > 0) throw new Error(`It never printed ${line}: ${server.errors.join('\n')}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** Starts one more resource of a folder of checkouts. */
export const startBesides = async (server: FxServer, root: string, name: string): Promise<void> => {
  await startReal(server, name, findResources(root));
};

type Checkout = {
  root: string;
  name: string;
  loaded: Loaded;
  /** Lua that is run after the framework's own: how a server owner has configured it. */
  configured?: string;
  /** Starts a framework that has to be built, after ox_lib. */
  built?: Framework['install'];
  /** Resources that are started after the framework, and what each prints when it is ready. */
  besides?: Readonly<Record<string, RegExp>>;
};

/** A framework's own server scripts, from a folder of checkouts, with clients that are played for it. */
export const checkedOut = (
  { root, name, loaded, built, besides = {}, configured = '' }: Checkout,
  before: Framework['install'] = () => undefined,
): Pick<Framework, 'install' | 'load' | 'spawn'> => ({
  install: async (server, mysql) => {
    const resources = findResources(root);
    for (const [resource, folder] of resources) server.folders.set(resource, folder);
    server.convars.set('onesync', 'on').set('onesync_enableInfinity', '1');
    server.manifests.set('oxmysql', new Map([['version', [versionOf(resources.get('oxmysql') ?? '')]]]));
    for (const other of Object.keys(besides)) {
      server.installed.add(other);
      server.manifests.set(other, await manifestIn(resources.get(other) ?? ''));
    }
    await before(server, mysql);
    if (built === undefined) await startReal(server, name, resources, configured);
    else {
      await startReal(server, 'ox_lib', resources);
      await built(server, mysql);
    }
    for (const [other, ready] of Object.entries(besides)) {
      await startReal(server, other, resources);
      await awaitLine(server, ready);
    }
    const framework = { name: 'framework.lua', code: `__framework = '${name}'` };
    await server.start({ name: 'players', lua: [framework, { name: 'players.lua', code: PLAYERS }] });
  },
  load: async (server, source, identifier) => {
    const isLoaded = awaitLoad(server, loaded, source);
    server.emit('fake:load', '', source, identifier);
    await isLoaded();
  },
  // As net events of that player, which reach whichever framework has them.
  spawn: (server, source) => {
    server.emit('esx:onPlayerSpawn', source);
    server.emit('QBCore:Server:OnPlayerLoaded', source);
    server.emit('RSGCore:Server:OnPlayerLoaded', source);
  },
});
