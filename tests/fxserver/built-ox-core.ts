import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { awaitLoad } from './checkouts.ts';
import { readResource } from './folder.ts';
import type { Framework } from './game.ts';

/** JavaScript functions and natives of FXServer that ox_core needs and the bridge does not. It tells when it has its groups. */
const GAME = new vm.Script(`
  let groupsSet = 0;
  globalThis.global = globalThis;
  globalThis.module = { exports: {} };
  globalThis.AddEventHandler = globalThis.onNet = on;
  globalThis.clearTick = clearInterval;
  globalThis.GlobalState = { set groups(all) { if (++groupsSet > 1) console.log('groups are loaded'); } };
  globalThis.Player = globalThis.Entity = () => ({ state: { set() {} } });
  globalThis.GetGameName = () => 'fxserver';
  globalThis.IsDuplicityVersion = () => true;
  globalThis.getPlayerTokens = () => [];
  globalThis.emitNet = (name, player, ...args) => emit('fake:client', name, player, ...args);
  globalThis.GetEntityCoords = () => [1.5, 2.5, 3.5];
  globalThis.GetEntityHeading = () => 90;
  globalThis.GetPedArmour = () => 0;
  for (const name of ['RegisterCommand', 'IsPrincipalAceAllowed']) globalThis[name] = () => undefined;
  console.info = console.log;`);

const NOTHING = (): void => undefined;
/** The server functions of ox_lib that ox_core uses. */
const OX_LIB = {
  checkDependency: () => true,
  getLocaleKey: () => 'en',
  cache: NOTHING,
  addAce: NOTHING,
  addPrincipal: NOTHING,
  removePrincipal: NOTHING,
  setValidCallback: NOTHING,
  versionCheck: NOTHING,
};

/** Where a built ox_core is in a folder of frameworks; undefined without one. */
export const builtOxCore = (root: string | undefined): string | undefined => {
  const folder = join(root ?? '', 'ox_core');
  return root !== undefined && existsSync(join(folder, 'dist/server.js')) ? folder : undefined;
};

/** The tables that its own installer makes, in whatever database it is run. */
export const oxCoreTables = (folder: string): string =>
  readFileSync(join(folder, 'sql/install.sql'), 'utf8').replace(/^(CREATE DATABASE|USE)\b[^;]*;/gm, '');

/** ox_core as it was built for a release, with its own driver over the same MariaDB. */
export const installBuiltOxCore =
  (folder: string, address: (database: string) => string): Framework['install'] =>
  async (server, mysql) => {
    const { name } = (await mysql.look('SELECT DATABASE() AS name')) ?? {};
    const { js, manifest } = await readResource(folder);
    server.convars.set('mysql_connection_string', address(String(name)));
    server.folders.set('ox_core', folder);
    server.manifests.set('ox_core', manifest);
    if (!server.isStarted('ox_lib')) server.provide('ox_lib', OX_LIB);
    await server.start({ name: 'ox_core', js: [GAME, ...js] });
    server.run(1);
    while (!server.lines.some((line) => line.includes('groups are loaded'))) {
      const problems = [...server.errors, ...server.lines.filter((line) => /not supported|Unable to/.test(line))];
      if (problems.length > 0) throw new Error(`ox_core did not start: ${problems.join('\n')}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

type Character = { charId: number; stateId: string };

/** Does what a player's game does: it asks for the characters of its user, and chooses one of them. */
export const chooseCharacter: NonNullable<Framework['load']> = async (server, source, identifier) => {
  const isLoaded = awaitLoad(server, { event: 'ox:playerLoaded', sourceOf: (player: number) => player }, source);
  server.hear('fake:client', (event: string, player: number, _user: number, characters: Character[]) => {
    if (event !== 'ox:startCharacterSelect' || Number(player) !== source) return;
    const chosen = characters.find(({ stateId }) => stateId === identifier);
    server.emit('ox:setActiveCharacter', source, chosen?.charId);
  });
  server.emit('ox:playerJoined', source);
  await isLoaded();
};

/** Whether it moves a balance and writes its line in one transaction. */
export const isAtomicIn = (folder: string): boolean => {
  const [, after = ''] = readFileSync(join(folder, 'dist/server.js'), 'utf8').split('function UpdateBalance(');
  return after.split('async function')[0]?.includes('beginTransaction') ?? false;
};
