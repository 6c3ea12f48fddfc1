import { createStore } from './store.ts';

const connected = createStore(true);

/** The result of the last request. */
export const reportConnection = (isConnected: boolean): void => {
  if (isConnected !== connected.get()) connected.set(isConnected);
};

/** Whether the hub answers. */
export const useConnected = connected.use;
