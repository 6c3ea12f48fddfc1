const WINDOW_MS = 60_000;
const REPLACEMENTS = 3;
/** The refused bridge may retry after this time. */
export const LOOP_PAUSE_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/** Two machines with one token would replace each other without end: after three takeovers, the current one stays. */
export const createReplacementLoops = (now: () => number) => {
  const takeovers = new Map<string, number[]>();
  return {
    isLoop: (address: string): boolean =>
      (takeovers.get(address) ?? []).filter((at) => now() - at < WINDOW_MS).length >= REPLACEMENTS,
    count: (address: string): void => {
      if (takeovers.size >= MAX_ADDRESSES) takeovers.clear();
      takeovers.set(address, [...(takeovers.get(address) ?? []).slice(1 - REPLACEMENTS), now()]);
    },
  };
};
