import type { Row } from '../engine.ts';
import type { Mysql } from '../mysql.ts';
import type { FxServer } from '../server.ts';
import { ITEMS, type Item, isAlike, type Metadata, SLOTS, WEIGHT } from './ox-items.ts';

type Loaded = { source: number; citizenid: string; money: { cash: number } };
type Hook = (event: object) => unknown;

/** Accounts that are items: the convar `inventory:accounts`, and `black_money`, which ox_inventory adds on ESX. */
const ACCOUNTS = ['money', 'black_money'];

/** The rows of players that ox_inventory itself reads and writes: all but those of ESX. */
type OxRows = { mysql: Mysql; read: string; write: string };

/**
 * ox_inventory 2.47.7 for ESX, Qbox and ox_core: it holds the items of players, and reports to the framework the numbers of
 * the items that are accounts. Its exports were compared with modules/inventory/server.lua. They return one value here,
 * because JavaScript cannot return two to Lua.
 */
export const installOxInventory = (server: FxServer, rows?: OxRows) => {
  const inventories = new Map<number, Item[]>();
  const owners = new Map<number, string | number>();
  const hooks = new Map<string, Hook[]>();
  let isLocked = false;
  const unloaded = new Map<number, () => void>();
  let isLate = false;

  const itemsOf = (source: number): Item[] => inventories.get(Number(source)) ?? [];
  const countOf = (source: number, name: string): number =>
    itemsOf(source).reduce((sum, item) => (item.name === name ? sum + item.count : sum), 0);
  const weightOf = (source: number): number =>
    itemsOf(source).reduce((sum, { name, count }) => sum + (ITEMS[name]?.weight ?? 0) * count, 0);
  const sync = (source: number): void =>
    server.emit(
      'fake:sync',
      '',
      source,
      Object.fromEntries(ACCOUNTS.map((name) => [name, countOf(source, name)])),
      itemsOf(source),
    );
  const run = (hook: string, event: object): void => {
    for (const heard of hooks.get(hook) ?? []) heard(event);
  };
  const freeSlots = (source: number): number[] => {
    const used = new Set(itemsOf(source).map(({ slot }) => slot));
    return Array.from({ length: SLOTS }, (_, index) => index + 1).filter((slot) => !used.has(slot));
  };

  /** It has no look at the weight, and gives fewer than asked where the free slots do not suffice, as a success. */
  const add = (source: number, name: string, count: number, given: Metadata = {}): boolean => {
    if (isLocked || !inventories.has(Number(source))) return false;
    const { stack = true, durability, isContainer } = ITEMS[name] ?? {};
    const metadata = durability === undefined ? given : { durability, ...given };
    const items = itemsOf(source);
    const same = stack && items.find((item) => item.name === name && isAlike(item.metadata, metadata));
    const added = isContainer ? 1 : count;
    if (same) same.count += added;
    else {
      const slots = freeSlots(source).slice(0, stack ? 1 : added);
      if (slots.length === 0) return false;
      const each = stack ? added : 1;
      items.push(...slots.map((slot) => ({ name, count: each, slot, label: name, metadata: { ...metadata } })));
    }
    sync(source);
    return true;
  };
  const remove = (source: number, name: string, count: number, metadata?: Metadata, slot?: number): boolean => {
    if (isLocked) return false;
    const found = itemsOf(source).filter(
      (item) =>
        item.name === name &&
        (slot === undefined || slot === null || item.slot === slot) &&
        (metadata === undefined || metadata === null || isAlike(item.metadata, metadata)),
    );
    if (found.reduce((sum, item) => sum + item.count, 0) < count) return false;
    let left = count;
    for (const item of found) {
      const part = Math.min(left, item.count);
      item.count -= part;
      left -= part;
    }
    inventories.set(
      Number(source),
      itemsOf(source).filter((item) => item.count > 0),
    );
    sync(source);
    return true;
  };
  const move = (source: number, name: string, count: number): boolean =>
    count < 0 ? remove(source, name, -count) : count === 0 || add(source, name, count);

  const canCarry = (source: number, name: string, count: number, metadata?: Metadata): boolean => {
    const { stack = true, weight = 0 } = ITEMS[name] ?? {};
    const free = freeSlots(source).length;
    const hasStack = itemsOf(source).some((item) => item.name === name && isAlike(item.metadata, metadata ?? {}));
    if (!hasStack && free === 0) return false;
    if (!stack && free < count) return false;
    return weight === 0 || weightOf(source) + weight * count <= WEIGHT;
  };

  server.manifests.set('ox_inventory', new Map([['version', ['2.47.7']]]));
  server.provide('ox_inventory', {
    // Nothing for a player whose inventory is not loaded.
    GetInventoryItems: (source: number) => (isLocked ? null : (inventories.get(Number(source)) ?? null)),
    GetItemCount: countOf,
    // Nothing while it is locked, and an empty list for a player without the item.
    GetSlotsWithItem: (source: number, name: string) =>
      isLocked || !inventories.has(Number(source)) || ITEMS[name] === undefined
        ? null
        : itemsOf(source).filter((item) => item.name === name),
    CanCarryItem: canCarry,
    CanCarryWeight: (source: number, weight: number) => WEIGHT - weightOf(source) >= weight,
    AddItem: (source: number, name: string, count: number, metadata?: Metadata) => {
      run('createItem', { inventoryId: source, item: { name }, count });
      return add(source, name, count, metadata ?? {});
    },
    RemoveItem: remove,
    SetItem: (source: number, name: string, count: number) =>
      inventories.has(Number(source)) && move(source, name, count - countOf(source, name)),
    // It finds the name in any case.
    // Without a name it gives the whole list.
    Items: (name?: string) => {
      if (name === undefined) {
        return Object.fromEntries(
          Object.entries(ITEMS).map(([each, item]) => [each, { ...item, name: each, label: each }]),
        );
      }
      const found = ITEMS[name.toLowerCase()];
      return found === undefined ? undefined : { ...found, name: name.toLowerCase(), label: name.toLowerCase() };
    },
    registerHook: (hook: string, heard: Hook) => hooks.set(hook, [...(hooks.get(hook) ?? []), heard]).size,
  });

  const save = (source: number): void => {
    // One that was never loaded does not exist, and is not saved.
    if (!inventories.has(source)) return;
    const items = itemsOf(source).map(({ name, count, slot, metadata }) => ({
      name,
      count,
      slot,
      ...(Object.keys(metadata).length > 0 && { metadata }),
    }));
    const owner = owners.get(source);
    // It saves a player without items as NULL.
    if (rows && owner !== undefined)
      rows.mysql.exports.prepare(rows.write, [items.length > 0 ? JSON.stringify(items) : null, owner]);
  };
  const load = (source: number, owner: string | number, done: () => void): void => {
    owners.set(source, owner);
    if (rows === undefined) {
      inventories.set(source, []);
      return done();
    }
    rows.mysql.exports.single(rows.read, [owner], (row) => {
      const stored = JSON.parse(String((row as Row | null)?.['inventory'] ?? '[]')) as Item[];
      inventories.set(
        source,
        stored.map((item) => ({ ...item, label: item.name, metadata: item.metadata ?? {} })),
      );
      done();
    });
  };

  server.hear('esx:playerLoaded', (source: number, player: { inventory: Item[] }) => {
    // ESX's own form has no slots, and items of which the player has none.
    const items = Object.values(player.inventory).filter(({ count }) => count > 0);
    inventories.set(
      source,
      items.map((item, index) => ({ ...item, slot: item.slot ?? index + 1, metadata: item.metadata ?? {} })),
    );
    sync(source);
  });
  // Qbox: the player gets the cash from the time when the inventory was requested, not from when it arrives.
  server.hear('QBCore:Server:PlayerLoaded', ({ PlayerData: { source, citizenid, money } }: { PlayerData: Loaded }) => {
    const begin = (): void =>
      load(source, citizenid, () => void move(source, 'money', money.cash - countOf(source, 'money')));
    if (isLate) unloaded.set(source, begin);
    else begin();
  });
  server.hear('ox:playerLoaded', (source: number, _user: number, charId: number) => load(source, charId, () => {}));
  // After the event the server knows which players are gone.
  const forget = (): void => {
    for (const source of [...owners.keys()].filter((one) => server.players.get(one) === undefined)) {
      save(source);
      owners.delete(source);
      inventories.delete(source);
    }
  };
  server.hear('playerDropped', () => queueMicrotask(forget));
  server.hear('fake:lock', (on: boolean) => {
    isLocked = on;
  });

  return {
    /** Tells resources that run already which accounts it owns, as it does when it starts. */
    tell: (...accounts: string[]): void => {
      const owned = Object.fromEntries(accounts.map((name) => [name, 0]));
      server.emit('ox_inventory:loadInventory', '', { accounts: owned });
    },
    /** Loads inventories of Qbox only when this is taken back. */
    delay: (on: boolean): void => {
      isLate = on;
      for (const begin of on ? [] : unloaded.values()) begin();
      unloaded.clear();
    },
    /** From now on it refuses every change, as in the last minute before a restart. */
    lock: (on: boolean): void => {
      isLocked = on;
    },
    /** A player moves items, for example from a stash into their pockets. */
    swap: (source: number, name: string, count: number): void => {
      run('swapItems', { source, fromInventory: 'stash-1', toInventory: source, count });
      move(source, name, count);
    },
  };
};
