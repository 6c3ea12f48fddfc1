import { readFileSync } from 'node:fs';
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
  now: () => number;
  /** The resource whose script is running, and the one that called it. */
  current: () => string;
  invoking: () => string | null;
  stateOf: (resource: string) => string;
  drop: (source: number, reason: string) => void;
  print: (line: string) => void;
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

  return {
    GetCurrentResourceName: () => current(),
    GetInvokingResource: () => world.invoking(),
    GetResourceState: (resource: string) => world.stateOf(resource),
    GetResourceMetadata: () => '1.13.5',
    LoadResourceFile: (resource: string, path: string) => {
      const folder = world.folders.get(resource);
      return folder === undefined ? null : plainLua(readFileSync(join(folder, path), 'utf8'));
    },
    GetGameTimer: () => Math.floor(world.now()),
    GetConvar: (name: string, otherwise: string) => convar(name) ?? otherwise,
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
    DropPlayer: (source: unknown, reason: string) => world.drop(Number(source), reason),
    ScheduleResourceTick: () => undefined,
    SetResourceKvp: (key: string, value: string) => {
      kvp.write(keyOf(key), value);
      kvp.flush();
    },
    SetResourceKvpNoSync: (key: string, value: string) => kvp.write(keyOf(key), value),
    DeleteResourceKvpNoSync: (key: string) => kvp.write(keyOf(key), undefined),
    FlushResourceKvp: () => kvp.flush(),
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
