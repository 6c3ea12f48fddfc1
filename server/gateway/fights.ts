const FIGHT_WINDOW_MS = 60_000;
const FIGHT_ALTERNATIONS = 3;
/** The refused bridge may retry after this time. */
export const FIGHT_PAUSE_MS = 60_000;
const MAX_FIGHTS = 10_000;

/** Two machines with one token would replace each other without end: after three takeovers, the current one stays. */
export const createFights = (now: () => number) => {
  const turns = new Map<string, number[]>();
  return {
    isFight: (address: string): boolean =>
      (turns.get(address) ?? []).filter((at) => now() - at < FIGHT_WINDOW_MS).length >= FIGHT_ALTERNATIONS,
    count: (address: string): void => {
      if (turns.size >= MAX_FIGHTS) turns.clear();
      turns.set(address, [...(turns.get(address) ?? []).slice(1 - FIGHT_ALTERNATIONS), now()]);
    },
  };
};
