import type { FxServer } from '../server.ts';

type Item = { name: string; count: number; slot: number; label: string; metadata: object };
type Hook = (event: object) => unknown;

/** Accounts of ESX that are items here. */
const ACCOUNTS = ['money', 'black_money'];
const SLOTS = 50;

/** What ox_inventory does for ESX: it holds what players carry, and tells ESX what they have of the items that are accounts. */
export const installOxInventory = (server: FxServer) => {
  const inventories = new Map<number, Item[]>();
  const hooks = new Map<string, Hook[]>();
  let isLocked = false;

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
    registerHook: (hook: string, heard: Hook) => hooks.set(hook, [...(hooks.get(hook) ?? []), heard]).size,
  });
  server.hear('esx:playerLoaded', (source: number, player: { inventory: Item[] }) => {
    inventories.set(source, Object.values(player.inventory));
    sync(source);
  });

  return {
    /** From here on it does nothing and says no, as in the last minute before a restart. */
    lock: (on: boolean): void => {
      isLocked = on;
    },
    /** A player puts things from one place to another, as from a stash into his pockets. */
    swap: (source: number, name: string, count: number): void => {
      run('swapItems', { source, fromInventory: 'stash-1', toInventory: source, count });
      move(source, name, count);
    },
  };
};
