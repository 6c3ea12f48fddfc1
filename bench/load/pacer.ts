import { Agent, request } from 'node:http';
import { percentile } from '../statistics.ts';

export type PacePlan = {
  port: number;
  path: string;
  headers: Record<string, string>;
  /** The n-th request's body. */
  bodyOf: (n: number) => string;
  perSecond: number;
  /** Connections that are opened beforehand and kept for all requests; 0: a new connection for each request. */
  kept: number;
};

export type Paced = {
  requests: number;
  /** Answers other than 200 and requests without an answer, with their counts. */
  failed: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
};

const ANSWER_WITHIN_MS = 20_000;

/**
 * Requests at a steady pace, whether or not earlier ones were answered. Each is timed from the moment it was due, so
 * that a stalled server's waiting time is counted in full.
 */
export const startPace = async ({ port, path, headers, bodyOf, perSecond, kept }: PacePlan) => {
  // Uses the connections in turn, so that the server closes none of them as idle.
  const agent = kept > 0 ? new Agent({ keepAlive: true, maxSockets: kept, scheduling: 'fifo' }) : new Agent();
  const times: number[] = [];
  const failed: Record<string, number> = {};
  const open = new Set<Promise<void>>();
  let sent = 0;

  const ask = (n: number): Promise<string> =>
    new Promise((resolve) => {
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
      const options = { port, path, agent, signal, host: '127.0.0.1', method: 'POST' };
      const asked = request({ ...options, headers: { 'Content-Type': 'application/json', ...headers } }, (answer) => {
        answer.resume().once('end', () => resolve(String(answer.statusCode)));
      });
      asked.once('error', (error) => resolve(error.message));
      asked.end(bodyOf(n));
    });

  await Promise.all(Array.from({ length: kept }, (_, n) => ask(n)));
  const start = performance.now();
  const askOne = async (n: number): Promise<void> => {
    const status = await ask(n);
    times.push(performance.now() - start - (n * 1_000) / perSecond);
    if (status !== '200') failed[status] = (failed[status] ?? 0) + 1;
  };

  const timer = setInterval(() => {
    for (; (sent * 1_000) / perSecond <= performance.now() - start; sent += 1) {
      const asked = askOne(sent).finally(() => open.delete(asked));
      open.add(asked);
    }
  }, 2);

  /** Stops, and waits for open requests. */
  return async (): Promise<Paced> => {
    clearInterval(timer);
    await Promise.all(open);
    agent.destroy();
    return {
      requests: times.length,
      failed,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      maxMs: percentile(times, 1),
    };
  };
};
