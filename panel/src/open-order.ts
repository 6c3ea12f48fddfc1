import type { Command } from './api.ts';
import type { OrderDraft } from './orders/draft.ts';
import { createStore } from './store.ts';

type PlayerOrder = { serverId: string; identifier: string; draft: OrderDraft };
/** `isSure`: the person has said so, and is not asked again. */
type Undo = { undone: Command; isSure: boolean };
/** The subject of a dialog: a command for a player, or a done one that is to be undone. */
export type WantedOrder = { number: number } & (PlayerOrder | Undo);

const wanted = createStore<WantedOrder | undefined>(undefined);
let opened = 0;
const open = (order: PlayerOrder | Undo): void => {
  opened += 1;
  wanted.set({ ...order, number: opened });
};

/** The dialog that is open, from whatever page. */
export const useWantedOrder = wanted.use;

/** Opens the dialog of a command for a player, in the place of the one that is open. It sends nothing by itself. */
export const openOrder = (order: PlayerOrder): void => open(order);

/** Opens the dialog that undoes a done command. */
export const openUndo = (undone: Command, isSure = false): void => open({ undone, isSure });

export const closeOrder = (): void => wanted.set(undefined);
