import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainLua } from './cfx-lua.ts';
import type { Kvp } from './kvp.ts';
import type { Players } from './players.ts';

export type NativeWorld = {
  kvp: Kvp;
  players: Players;
  convars: Map<string, string>;
  /** Convars that only the listed resources may read. */
  convarReaders: Map<string, string[]>;
  folders: ReadonlyMap<string, string>;
  /** Values of manifests that were read from a disk, by resource and key. */
  manifests: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  now: () => number;
  /** The resource whose script is running, and the one that called it. */
  current: () => string;
  invoking: () => string | null;
  stateOf: (resource: string) => string;
  drop: (source: number, reason: string) => void;
  /** The natives for the bodies of players. */
  bodies: Record<string, (...args: never[]) => unknown>;
  print: (line: string) => void;
};

/** Pages for a game's client are built for a release: a checkout has none, and no server looks into them. */
const BUILT_PAGE = 'web/build/index.html';

const readFrom = (folder: string | undefined, path: string): string | null => {
  if (folder === undefined) return null;
  if (path === BUILT_PAGE) return '';
  const file = join(folder, path);
  return existsSync(file) ? plainLua(readFileSync(file, 'utf8')) : null;
};

/** The natives of FXServer that the bridge and the fakes use. */
export const createNatives = (world: NativeWorld): Record<string, (...args: never[]) => unknown> => {
  const { kvp, players, convars, convarReaders, current } = world;
  const searches = new Map<number, string[]>();
  const keyOf = (key: string): string => `res:${current()}:${key}`;
  const convar = (name: string): string | undefined => {
    const readers = convarReaders.get(name);
    return readers === undefined || readers.includes(current()) ? convars.get(name) : undefined;
  };

  /** Vehicles that stand in the world: a test lists their plates in a convar. */
  const plates = (): string[] => (convars.get('fake:world') ?? '').split(',').filter((plate) => plate !== '');

  const saidBy = (resource: string, key: string): readonly string[] => world.manifests.get(resource)?.get(key) ?? [];

  return {
    ...world.bodies,
    GetCurrentResourceName: () => current(),
    GetInvokingResource: () => world.invoking(),
    GetResourceState: (resource: string) => world.stateOf(resource),
    GetNumResourceMetadata: (resource: string, key: string) => saidBy(resource, key).length,
    // Stand-ins have no manifest, and are of this version.
    GetResourceMetadata: (resource: string, key: string, index: number) =>
      world.manifests.has(resource) ? (saidBy(resource, key)[index] ?? null) : '1.13.5',
    GetResourcePath: (resource: string) => world.folders.get(resource) ?? null,
    LoadResourceFile: (resource: string, path: string) => readFrom(world.folders.get(resource), path),
    GetGameTimer: () => Math.floor(world.now()),
    GetConvar: (name: string, otherwise: string) => convar(name) ?? otherwise,
    GetConvarBool: (name: string, otherwise: boolean) => (convar(name) ?? String(otherwise)) === 'true',
    SetConvar: (name: string, value: string) => void convars.set(name, value),
    SetConvarReplicated: (name: string, value: string) => void convars.set(name, value),
    GetConvarInt: (name: string, otherwise: number) => Number(convar(name) ?? otherwise),
    GetNumPlayerIndices: () => players.all().length,
    GetPlayerFromIndex: (index: number) => String(players.all()[index]?.source ?? ''),
    GetPlayerName: (source: unknown) => players.get(source)?.name ?? null,
    DoesPlayerExist: (source: unknown) => players.get(source) !== undefined,
    GetNumPlayerIdentifiers: (source: unknown) => players.get(source)?.identifiers.length ?? 0,
    GetPlayerIdentifier: (source: unknown, index: number) => players.get(source)?.identifiers[index] ?? null,
    // By the beginning alone, so `license` finds `license2:` too.
    GetPlayerIdentifierByType: (source: unknown, type: string) =>
      players.get(source)?.identifiers.find((identifier) => identifier.startsWith(type)) ?? null,
    GetAllVehicles: () => plates().map((_plate, index) => index + 1),
    GetVehicleNumberPlateText: (vehicle: number) => plates()[vehicle - 1] ?? null,
    DropPlayer: (source: unknown, reason: string) => world.drop(Number(source), reason),
    ScheduleResourceTick: () => undefined,
    SetResourceKvp: (key: string, value: string) => {
      kvp.write(keyOf(key), value);
      kvp.flush();
    },
    SetResourceKvpNoSync: (key: string, value: string) => kvp.write(keyOf(key), value),
    DeleteResourceKvpNoSync: (key: string) => kvp.write(keyOf(key), undefined),
    FlushResourceKvp: () => kvp.flush(),
    GetResourceKvpInt: (key: string) => Number(kvp.read(keyOf(key)) ?? 0),
    SetResourceKvpInt: (key: string, value: number) => kvp.write(keyOf(key), String(value)),
    GetResourceKvpString: (key: string) => kvp.read(keyOf(key)) ?? null,
    StartFindKvp: (prefix: string) => {
      const start = keyOf('');
      searches.set(
        searches.size + 1,
        kvp.keys(start + prefix).map((key) => key.slice(start.length)),
      );
      return searches.size;
    },
    FindKvp: (search: number) => searches.get(search)?.shift() ?? null,
    EndFindKvp: () => undefined,
  };
};
