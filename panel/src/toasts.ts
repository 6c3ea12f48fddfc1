import type { Command } from './api.ts';
import { createStore } from './store.ts';

export type Toast = { id: number; command: Command; player: string };

/** More would cover the page; the oldest goes first. */
const MAX_TOASTS = 3;
const toasts = createStore<readonly Toast[]>([]);
let made = 0;

/** The toasts that are shown, the newest last. */
export const useToasts = toasts.use;

/** Tells that a command was done, for ten seconds. Its page has the same, and stays. */
export const tell = (command: Command, player: string): void => {
  made += 1;
  toasts.set([...toasts.get(), { id: made, command, player }].slice(-MAX_TOASTS));
};

export const endToast = (id: number): void => toasts.set(toasts.get().filter((toast) => toast.id !== id));

export const endToasts = (): void => toasts.set([]);
