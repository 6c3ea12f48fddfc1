/** One piece of work and the lane it waits in. `urgent` work does not count for the window. */
export type LaneEntry = { readonly id: string; readonly lane: string; readonly urgent: boolean };

/**
 * First in, first out per lane, one at a time in each; lanes do not wait for one another. At most `window` entries
 * that are not urgent run at once: the lane that became ready first goes first.
 */
export const createLanes = <E extends LaneEntry>({ window, run }: { window: number; run: (entry: E) => void }) => {
  const lanes = new Map<string, E[]>();
  const ready: E[] = [];
  const running = new Set<string>();
  let inWindow = 0;

  const begin = (entry: E): void => {
    running.add(entry.id);
    if (!entry.urgent) inWindow += 1;
    run(entry);
  };

  const beginReady = (): void => {
    while (inWindow < window) {
      const next = ready.shift();
      if (next === undefined) return;
      begin(next);
    }
  };

  const offer = (entry: E): void => {
    if (entry.urgent) begin(entry);
    else {
      ready.push(entry);
      beginReady();
    }
  };

  return {
    /** Whether an entry of the lane would have to wait for another one. */
    isBusy: (lane: string): boolean => lanes.has(lane),
    add: (entry: E): void => {
      const lane = lanes.get(entry.lane);
      if (lane !== undefined) lane.push(entry);
      else {
        lanes.set(entry.lane, [entry]);
        offer(entry);
      }
    },
    /** The entry has ended: its lane goes on. */
    done: (entry: E): void => {
      if (!running.delete(entry.id)) return;
      if (!entry.urgent) inWindow -= 1;
      const lane = lanes.get(entry.lane) ?? [];
      lane.shift();
      const next = lane[0];
      if (next === undefined) lanes.delete(entry.lane);
      else offer(next);
      beginReady();
    },
  };
};
