import type { FxServer } from '../server.ts';

type Item = { name: string; count: number; slot: number; label: string; metadata: object };
type Loaded = { source: number; money: { cash: number } };
type Hook = (event: object) => unknown;

/** Accounts that are items: the convar `inventory:accounts`, and `black_money`, which ox_inventory adds on ESX. */
const ACCOUNTS = ['money', 'black_money'];
/** Every item that it knows, as `data/items.lua` has them. */
const ITEMS = ['bread', 'money', 'black_money', 'tokens'];
const SLOTS = 50;

/**
 * ox_inventory for ESX and Qbox: it holds the items of players, and reports to the framework the numbers of the items that
 * are accounts.
 */
export const installOxInventory = (server: FxServer) => {
  const inventories = new Map<number, Item[]>();
  const hooks = new Map<string, Hook[]>();
  let isLocked = false;
  const unloaded = new Map<number, () => void>();
  let isLate = false;

  const itemsOf = (source: number): Item[] => inventories.get(Number(source)) ?? [];
  const countOf = (source: number, name: string): number =>
    itemsOf(source).reduce((sum, item) => (item.name === name ? sum + item.count : sum), 0);
  const sync = (source: number): void =>
    server.emit('fake:sync', '', source, Object.fromEntries(ACCOUNTS.map((name) => [name, countOf(source, name)])));
  const run = (hook: string, event: object): void => {
    for (const heard of hooks.get(hook) ?? []) heard(event);
  };
  const move = (source: number, name: string, count: number): boolean => {
    if (isLocked || countOf(source, name) + count < 0) return false;
    const others = itemsOf(source).filter((item) => item.name !== name);
    const left = countOf(source, name) + count;
    const slot = itemsOf(source).find((item) => item.name === name)?.slot ?? others.length + 1;
    const items = left > 0 ? [...others, { name, count: left, slot, label: name, metadata: {} }] : others;
    inventories.set(Number(source), items);
    sync(source);
    return true;
  };

  server.provide('ox_inventory', {
    GetInventoryItems: itemsOf,
    GetItemCount: countOf,
    CanCarryItem: (source: number, name: string) => countOf(source, name) > 0 || itemsOf(source).length < SLOTS,
    AddItem: (source: number, name: string, count: number) => {
      run('createItem', { inventoryId: source, item: { name }, count });
      return move(source, name, count);
    },
    RemoveItem: (source: number, name: string, count: number) => move(source, name, -count),
    SetItem: (source: number, name: string, count: number) =>
      inventories.has(Number(source)) && move(source, name, count - countOf(source, name)),
    Items: (name: string) => (ITEMS.includes(name) ? { name, label: name } : undefined),
    registerHook: (hook: string, heard: Hook) => hooks.set(hook, [...(hooks.get(hook) ?? []), heard]).size,
  });
  server.hear('esx:playerLoaded', (source: number, player: { inventory: Item[] }) => {
    inventories.set(source, Object.values(player.inventory));
    sync(source);
  });

  // Qbox: the player gets the cash from the time when the inventory was requested, not from when it arrives.
  server.hear('QBCore:Server:PlayerLoaded', ({ PlayerData: { source, money } }: { PlayerData: Loaded }) => {
    const load = (): void => {
      inventories.set(source, []);
      move(source, 'money', money.cash);
    };
    if (isLate) unloaded.set(source, load);
    else load();
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
      for (const load of on ? [] : unloaded.values()) load();
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
