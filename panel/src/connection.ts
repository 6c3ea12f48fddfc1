import { useSyncExternalStore } from 'react';

let isConnected = true;
const listeners = new Set<() => void>();

/** The result of the last request. */
export const reportConnection = (connected: boolean): void => {
  if (connected === isConnected) return;
  isConnected = connected;
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the hub answers. */
export const useConnected = (): boolean => useSyncExternalStore(subscribe, () => isConnected);
