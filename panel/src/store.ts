import { useSyncExternalStore } from 'react';

/** A value that components far apart share. It is of this tab, and gone with it. */
export const createStore = <T>(first: T) => {
  let value = first;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    set: (next: T): void => {
      value = next;
      for (const listener of listeners) listener();
    },
    get: (): T => value,
    use: (): T => useSyncExternalStore(subscribe, () => value),
    /** A part of it, or something made of it, that can be compared. */
    useOf: <P>(pick: (value: T) => P): P => useSyncExternalStore(subscribe, () => pick(value)),
  };
};
