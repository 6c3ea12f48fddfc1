import { useRef } from 'react';
import { isLost } from './parts/state.tsx';

/**
 * Makes a thing whose route takes no key that would make it once: `make` gets what an earlier attempt of this form has made,
 * if its answer was lost. After a refusal there is none, whatever others have made meanwhile. `isMine`: whether it can be
 * that one.
 */
export const useMadeBefore = <T extends { id: string }>(read: () => Promise<readonly T[]>) => {
  /** The ids from before the first attempt whose answer was lost, or else from before the last attempt. */
  const known = useRef<ReadonlySet<string>>(undefined);
  const isUnsure = useRef(false);
  return async <R>(isMine: (each: T) => boolean, make: (made: T | undefined) => Promise<R>): Promise<R> => {
    const now = await read();
    if (!isUnsure.current) known.current = new Set(now.map(({ id }) => id));
    const made = now.find((each) => known.current?.has(each.id) === false && isMine(each));
    try {
      return await make(made);
    } catch (error) {
      isUnsure.current ||= isLost(error);
      throw error;
    }
  };
};
