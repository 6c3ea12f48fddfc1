/** The natives of FXServer that the bridge uses. This is the only file that names them. */
declare const GetCurrentResourceName: () => string;
declare const GetInvokingResource: () => string | null;
declare const GetConvar: (name: string, otherwise: string) => string;
declare const GetConvarInt: (name: string, otherwise: number) => number;
declare const GetNumPlayerIndices: () => number;
declare const DoesPlayerExist: (source: string) => boolean | number;
declare const DropPlayer: (source: string, reason: string) => void;
declare const GetResourceKvpString: (key: string) => string | null;
declare const SetResourceKvpNoSync: (key: string, value: string) => void;
declare const DeleteResourceKvpNoSync: (key: string) => void;
declare const FlushResourceKvp: () => void;
declare const StartFindKvp: (prefix: string) => number;
declare const FindKvp: (search: number) => string | null;
declare const EndFindKvp: (search: number) => void;
declare const emit: (event: string, ...args: unknown[]) => void;
declare const on: (event: string, handler: unknown) => void;
declare const source: number | string;

// Other globals of FXServer. Its global `exports` (of all resources) hides the `exports` of a module.
const game = globalThis as unknown as {
  exports: Record<string, Record<string, (...args: unknown[]) => unknown>> & ((name: string, fn: unknown) => void);
  console: { log(line: string): void };
};

/**
 * The stored values of this resource. A write is durable after `flush`, which waits for the disk on the game's thread.
 */
export const kvp = {
  read: (key: string): string | undefined => GetResourceKvpString(key) ?? undefined,
  write: (key: string, value: string): void => SetResourceKvpNoSync(key, value),
  remove: (key: string): void => DeleteResourceKvpNoSync(key),
  flush: (): void => FlushResourceKvp(),
  keys: (prefix: string): string[] => {
    const search = StartFindKvp(prefix);
    const keys: string[] = [];
    for (let key = FindKvp(search); key; key = FindKvp(search)) keys.push(key);
    EndFindKvp(search);
    return keys;
  },
};
export type Kvp = typeof kvp;

const RESOURCE = GetCurrentResourceName();
export const resourceName = (): string => RESOURCE;
/** Prints a line in the console of the game server. */
export const say = (line: string): void => game.console.log(`[causeway] ${line}`);
/** A convar as trimmed text; empty when it is not set, or this resource may not read it. */
export const convar = (name: string): string => GetConvar(name, '').trim();
export const playerSlots = (): number => GetConvarInt('sv_maxclients', 0);
export const playersOnline = (): number => GetNumPlayerIndices();
export const isConnected = (player: string): boolean => Boolean(DoesPlayerExist(player));
/** Asks the server to drop a player; only `playerDropped` shows whether it did. */
export const dropPlayer = (player: string, reason: string): void => DropPlayer(player, reason);
/** Subscribes to a server-local event. Net events are never registered. */
export const onEvent = <A extends unknown[]>(event: string, handler: (...args: A) => void): void => on(event, handler);
/** The player of the event that is being handled. */
export const eventSource = (): string => String(source);
/** Calls an export of this resource: its Lua half. */
export const callLua = (name: string, ...args: unknown[]): unknown => game.exports[RESOURCE]?.[name]?.(...args);
/** Registers a function as an export for other resources. */
export const addExport = (name: string, fn: (...args: unknown[]) => unknown): void => game.exports(name, fn);
/** The resource that is calling an export now. */
export const invokingResource = (): string => GetInvokingResource() ?? RESOURCE;
/** Emits an event to all resources of this server. */
export const emitEvent = (event: string): void => emit(event);
