const LEAST = 2;
/** A command that takes longer waits for something else than the game's processor, and takes no room from others. */
const HELD_UP_MS = 250;
const MEASURE_EVERY_MS = 1_000;
/** The quickest of so many counts: a busy machine can slow any of them. */
const MEASURED = 8;

/** A command on its way: when it left, by `performance.now()`, and whether no other waiting command was on its way. */
export type Flight = { readonly id: string; readonly since: number; readonly isAlone: boolean };

/**
 * How many waiting commands may be on their way to one bridge. More of them make a game faster only until one of them is
 * always at work; from then on they are a queue in which a kick of the staff would stand too. The time of a command alone,
 * measured once a second, against its time among others tells how many of them stand in that queue: between one and two
 * are wanted (TCP Vegas: Brakmo and Peterson, 1995).
 */
export const createRoom = () => {
  const alone: number[] = [];
  let size = LEAST;
  let measureAt = 0;

  return {
    /** Whether one more may leave. `most`: the bound in any case. `isShared`: single commands came in the last second. */
    hasPlace: (flights: Iterable<Flight | undefined>, most: number, isShared: boolean): boolean => {
      const at = performance.now();
      let all = 0;
      let young = 0;
      for (const flight of flights) {
        all += 1;
        if (flight === undefined || at - flight.since < HELD_UP_MS) young += 1;
      }
      size = Math.min(size, most);
      return all < most && young < (isShared || at >= measureAt ? 1 : Math.max(1, Math.floor(size)));
    },
    /** A command was carried out. */
    landed: ({ since, isAlone }: Flight): void => {
      const at = performance.now();
      const ms = at - since;
      if (isAlone) {
        if (at < measureAt) return;
        alone.push(ms);
        if (alone.length > MEASURED) alone.shift();
        measureAt = at + MEASURE_EVERY_MS;
        return;
      }
      // Without a measure, nothing is known of a queue.
      if (alone.length === 0) return;
      const queued = size * (1 - Math.min(...alone) / ms);
      if (queued < 1) size += 1 / size;
      else if (queued > 2) size = Math.max(LEAST, size - 1 / size);
    },
  };
};
export type Room = ReturnType<typeof createRoom>;
