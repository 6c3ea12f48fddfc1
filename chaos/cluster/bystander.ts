const DEADLINE_MS = 3_000;
const PAUSE_MS = 20;

/** Sends other requests to the nodes during a run. Every answer must come soon, whatever it says. */
export const createBystander = ({ ports, key }: { ports: readonly number[]; key: string }) => {
  const asks = [
    { path: '/api/v2/players?limit=3' },
    { path: '/api/v2/bridge/main/kick', json: { target: 'char1:nobody' } },
    { path: '/api/v2/servers/main' },
    { path: '/api/v2/health' },
  ];
  let turn = 0;

  const ask = async (): Promise<string | undefined> => {
    const port = ports[turn % ports.length];
    const { path, json } = asks[Math.floor(turn / ports.length) % asks.length] ?? { path: '/readyz' };
    turn += 1;
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: json === undefined ? 'GET' : 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', Prefer: 'wait=1' },
        ...(json && { body: JSON.stringify(json) }),
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      await response.text();
    } catch (error) {
      // A broken connection counts as an answer.
      if (error instanceof Error && error.name === 'TimeoutError') return `hung: ${path} on port ${port}`;
    }
    return undefined;
  };

  return {
    /** Ends the requests; returns those that took longer than three seconds. */
    watch: async (isOver: () => boolean): Promise<string[]> => {
      const hung: string[] = [];
      while (!isOver()) {
        const found = await ask();
        if (found !== undefined) hung.push(found);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      return hung;
    },
  };
};
