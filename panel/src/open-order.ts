import type { Command, Schemas } from './api.ts';
import type { Draft } from './commands/kinds.ts';
import { createStore } from './store.ts';

/**
 * A command for a player, or for all of a server. `again`: the one without effect that it repeats. `custom`: what the game
 * server has declared, which may be away by now.
 */
type Order = { serverId: string; identifier?: string; draft: Draft; again?: Command; custom?: Schemas['Action'] };
/** The undo or the repeat of a command. `isSure`: the person has said so, and is not asked again. */
type Linked = { of: Command; is: 'undo' | 'again'; isSure: boolean };
/** The subject of a dialog. */
export type WantedOrder = { number: number } & (Order | Linked);

const wanted = createStore<WantedOrder | undefined>(undefined);
let opened = 0;
const open = (order: Order | Linked): void => {
  opened += 1;
  wanted.set({ ...order, number: opened });
};

/** The dialog that is open, from whatever page. */
export const useWantedOrder = wanted.use;

/** Opens the dialog of a command, in the place of the one that is open. It sends nothing by itself. */
export const openOrder = (order: Order): void => open(order);

export const openUndo = (undone: Command, isSure = false): void => open({ of: undone, is: 'undo', isSure });

/** Opens the question before a command is sent again that had no effect. */
export const openAgain = (repeated: Command): void => open({ of: repeated, is: 'again', isSure: false });

export const closeOrder = (): void => wanted.set(undefined);
