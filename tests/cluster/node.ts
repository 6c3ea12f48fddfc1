import type { Tuning } from '../../server/platform/config.ts';
import { freePort } from '../kit/free-port.ts';
import { hubArguments } from '../kit/hub-arguments.ts';
import { createVictim } from '../kit/processes.ts';
import { until } from '../kit/until.ts';

/** Shorter than a test, so that it is the node that is named. */
const READY_WITHIN_MS = 50_000;

const ENV = {
  LOG_LEVEL: 'warn',
  ADMISSIONS_PER_SECOND: '100000',
  SHUTDOWN_GRACE_MS: '2000',
};
const TUNING = { connectsPerMinute: 100_000, wrongKeysPerMinute: 100_000, shutdownNoticeMs: 500 };

/** One process of the hub, which can be killed, paused, and started again on its port. */
export const openNode = async (name: string, env: Record<string, string>, tuning: Partial<Tuning> = {}) => {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const { start, isRunning, kill, ended, said, pause, resume } = createVictim(hubArguments({ ...TUNING, ...tuning }), {
    ...ENV,
    ...env,
    NODE_NAME: name,
    PORT: String(port),
  });
  const isReady = (): Promise<boolean> => {
    if (!isRunning()) throw new Error(`${name} ended: ${said()}`);
    return fetch(`${address}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  return {
    name,
    port,
    address,
    bridgeUrl: `ws://127.0.0.1:${port}/bridge`,
    start: (): Promise<void> => {
      start();
      return until(isReady, `${name} is ready`, { withinMs: READY_WITHIN_MS });
    },
    stop: (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => kill(signal),
    /** The exit code of one that is expected to refuse to start. */
    refusal: async (): Promise<{ code: number | null; said: string }> => {
      start();
      const code = await ended();
      return { code, said: said() };
    },
    pause,
    resume,
    said,
  };
};
