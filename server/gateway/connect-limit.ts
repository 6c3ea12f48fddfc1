const WINDOW_MS = 60_000;

/** Limits connects of each server: `perMinute` in a window of a minute that begins with the first connect. */
export const createConnectLimit = (perMinute: number) => {
  const counts = new Map<string, number>();
  let endsAt = 0;

  /** Forgets counts whose window is over. */
  const sweep = (): void => {
    if (performance.now() >= endsAt) counts.clear();
  };

  return {
    sweep,
    /** Counts one connect; false: too many. `address`: of the server. */
    admit: (address: string): boolean => {
      sweep();
      if (counts.size === 0) endsAt = performance.now() + WINDOW_MS;
      const count = (counts.get(address) ?? 0) + 1;
      counts.set(address, count);
      return count <= perMinute;
    },
  };
};
export type ConnectLimit = ReturnType<typeof createConnectLimit>;

/** Counts the open connections of this node, in total and for each project. */
export const createConnectionCounts = () => {
  const counts = new Map<string, number>();
  let all = 0;
  return {
    change: (projectId: string, by: 1 | -1): void => {
      const left = (counts.get(projectId) ?? 0) + by;
      all += by;
      if (left === 0) counts.delete(projectId);
      else counts.set(projectId, left);
    },
    of: (projectId: string): number => counts.get(projectId) ?? 0,
    all: (): number => all,
  };
};
export type ConnectionCounts = ReturnType<typeof createConnectionCounts>;
