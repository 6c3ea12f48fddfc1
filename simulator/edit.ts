import type { Player } from '../bridge-protocol/wire/player.ts';
import type { Ledger, Move, Moved } from './ledger.ts';
import type { Population } from './population.ts';
import type { Store } from './store.ts';

/** The players that a transaction changed; `offline` lists the players that only left. */
export type WorldChange = { players: string[]; offline: string[] };

/**
 * Changes a world: `transact` runs its work in one transaction and then tells the listeners which players changed. An
 * error of a listener reaches the caller, although the change is durable.
 */
export const createEditor = ({ db, ledger, population }: { db: Store; ledger: Ledger; population: Population }) => {
  const listeners = new Set<(change: WorldChange) => void>();

  const createEdit = (changed: Set<string>, left: Set<string>) => ({
    player: population.get,
    presence: population.presence,
    join: (identifier: string): void => {
      population.join(identifier);
      changed.add(identifier);
    },
    leave: (identifier: string, awayUntil = 0): void => {
      population.leave(identifier, awayUntil);
      left.add(identifier);
    },
    move: (move: Move): Moved => {
      const moved = ledger.move(move);
      if (!('error' in moved)) changed.add(move.identifier);
      return moved;
    },
    setInventory: (identifier: string, inventory: Player['inventory']): void => {
      population.setInventory(identifier, inventory);
      changed.add(identifier);
    },
    setVehicles: (identifier: string, vehicles: Player['vehicles']): void => {
      population.setVehicles(identifier, vehicles);
      changed.add(identifier);
    },
    setMetadata: (identifier: string, metadata: Player['metadata']): void => {
      population.setMetadata(identifier, metadata);
      changed.add(identifier);
    },
    claimPlate: population.claimPlate,
    releasePlate: population.releasePlate,
  });

  const transact = <T>(work: (edit: ReturnType<typeof createEdit>) => T): T => {
    const changed = new Set<string>();
    const left = new Set<string>();
    const answer = db.transaction(() => work(createEdit(changed, left))).immediate();
    const change = {
      players: [...changed],
      offline: [...left].filter((identifier) => !changed.has(identifier)),
    };
    if (changed.size + left.size > 0) for (const listener of listeners) listener(change);
    return answer;
  };

  return {
    transact,
    /** Calls `listener` after every transaction that changed a player; returns a function that removes the listener. */
    onChange: (listener: (change: WorldChange) => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};
export type Editor = ReturnType<typeof createEditor>;
export type WorldEdit = Parameters<Parameters<Editor['transact']>[0]>[0];
