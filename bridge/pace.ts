/** How long the game's thread may be held at a time. What the runtimes do around it is not seen from here. */
export const SLICE_MS = 1;
/** How much of a tick of the server all slices in it may take, and how long a tick is. */
const SHARE_MS = 10;
const TICK_MS = 50;
/** Players that are read in one slice: where it begins, while nothing is warm, and a bound on what the database is asked. */
const PLAYERS = { first: 1, most: 500 };
/** How much the last slice counts among those before it: something else may have held the thread. */
const WEIGHT = 0.2;

/** The next tick of the game server. */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How many players are read at once, by how long the others took; and a pause where that adds up in one tick. */
export const createPace = () => {
  let eachMs = SLICE_MS / PLAYERS.first;
  let spentMs = 0;
  let since = performance.now();
  return {
    players: (): number => Math.max(1, Math.min(PLAYERS.most, Math.floor(SLICE_MS / eachMs))),
    /** After a slice of so many players and milliseconds. Resolves when there may be another. */
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
