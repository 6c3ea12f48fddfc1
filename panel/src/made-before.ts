import { useRef } from 'react';

/**
 * Finds what an earlier attempt of this form has made, if its answer was lost: its route takes no key that would make it once.
 * `isMine`: whether it can be that one. To be asked before each attempt.
 */
export const useMadeBefore = <T extends { id: string }>(read: () => Promise<readonly T[]>) => {
  /** Those that there were before the first attempt. */
  const known = useRef<ReadonlySet<string>>(undefined);
  return async (isMine: (each: T) => boolean): Promise<T | undefined> => {
    const now = await read();
    const before = known.current;
    known.current ??= new Set(now.map(({ id }) => id));
    return before && now.find((each) => !before.has(each.id) && isMine(each));
  };
};
