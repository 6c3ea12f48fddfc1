import type { Command } from './api.ts';
import type { OrderDraft } from './orders/draft.ts';
import { createStore } from './store.ts';

type Place = { serverId: string; identifier: string };
/** The player and what a dialog asks about: a command, or a done one that is to be undone. */
export type WantedOrder = Place & { number: number } & ({ draft: OrderDraft } | { undone: Command });

const wanted = createStore<WantedOrder | undefined>(undefined);
let opened = 0;

/** The dialog that is open, from whatever page. */
export const useWantedOrder = wanted.use;

/** Opens the dialog of a command for a player, in the place of the one that is open. It sends nothing by itself. */
export const openOrder = (order: Place & { draft: OrderDraft }): void => {
  opened += 1;
  wanted.set({ ...order, number: opened });
};

/** Opens the dialog that undoes a done command. */
export const openUndo = (command: Command): void => {
  if (command.target === null) return;
  opened += 1;
  wanted.set({ serverId: command.serverId, identifier: command.target, undone: command, number: opened });
};

export const closeOrder = (): void => wanted.set(undefined);
