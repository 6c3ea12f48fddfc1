import { hubNow } from './clock.ts';
import { createStore } from './store.ts';

/** Actions that the hub refused for now, and when they go again (hub time). */
type Parked = { at: number; go: () => void; giveUp: () => void };
const parked = createStore<readonly Parked[]>([]);

export const useParked = parked.use;

export const giveUpParked = (): void => {
  for (const { giveUp } of parked.get()) giveUp();
};

/** False if the user gives the action up before its time. */
const park = (seconds: number): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (goes: boolean): void => {
      clearTimeout(timer);
      parked.set(parked.get().filter((each) => each !== mine));
      resolve(goes);
    };
    const mine: Parked = { at: hubNow() + seconds * 1000, go: () => end(true), giveUp: () => end(false) };
    const timer = setTimeout(mine.go, seconds * 1000);
    parked.set([...parked.get(), mine]);
  });

const secondsOf = async (response: Response): Promise<number> => {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  if (response.status !== 429 || !(seconds > 0)) return 0;
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const isLimit = typeof problem === 'object' && problem !== null && 'code' in problem;
  return isLimit && problem.code === 'rate_limited' ? seconds : 0;
};

/**
 * Sends a request. An action that the limit of requests refuses waits until the hub takes it, and then goes by itself. It
 * had no effect before, and it is the same request with the same key.
 */
export const fetchPatiently = async (request: Request): Promise<Response> => {
  if (request.method === 'GET') return fetch(request);
  for (;;) {
    // It may wait for longer than the time of one request.
    const response = await fetch(new Request(request.clone(), { signal: null }));
    const seconds = await secondsOf(response);
    if (seconds === 0 || !(await park(seconds))) return response;
  }
};
