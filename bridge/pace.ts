/** How long the bridge may hold the game's thread at a time. The runtimes' own work around a slice is not measured. */
export const SLICE_MS = 1;
/** The share of a server tick that all slices in it may take, and the length of a tick. */
const SHARE_MS = 10;
const TICK_MS = 50;
/** Players per slice: the first size, small because no code is warm yet, and the upper bound of a database query. */
const PLAYERS = { first: 1, most: 500 };
/** Weight of the last slice in the average: other work may have held the thread during that slice. */
const WEIGHT = 0.2;

/** Resolves at the next tick of the game server. */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Chooses the size of the next slice from the time of earlier slices, and pauses when one tick has had too many. */
export const createPace = () => {
  let eachMs = SLICE_MS / PLAYERS.first;
  let spentMs = 0;
  let since = performance.now();
  return {
    players: (): number => Math.max(1, Math.min(PLAYERS.most, Math.floor(SLICE_MS / eachMs))),
    /** Reports a finished slice: players and milliseconds. Resolves when the next slice may begin. */
    pause: async ({ players, tookMs }: { players: number; tookMs: number }): Promise<void> => {
      if (players > 0) eachMs += (tookMs / players - eachMs) * WEIGHT;
      spentMs += tookMs;
      if (spentMs < SHARE_MS) return;
      if (performance.now() - since < TICK_MS) await nextTick();
      spentMs = 0;
      since = performance.now();
    },
  };
};
