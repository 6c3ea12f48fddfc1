/** Samples kept: about a minute of pings. */
const SAMPLES = 4;

/**
 * The hub's clock, seen from here. Every `now` of the hub arrives late, never early, so the largest difference of
 * the last few is the best one; a process that slept reads old frames, and older samples still tell it the truth.
 */
export const createHubClock = ({ now }: { now: () => number }) => {
  const offsets: number[] = [];
  return {
    heard: (hubNow: number): void => {
      offsets.push(hubNow - now());
      if (offsets.length > SAMPLES) offsets.shift();
    },
    /** Epoch milliseconds at the hub; this machine's own before anything was heard. */
    now: (): number => now() + (offsets.length === 0 ? 0 : Math.max(...offsets)),
  };
};
export type HubClock = ReturnType<typeof createHubClock>;
