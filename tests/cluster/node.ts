import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Tuning } from '../../server/platform/tuning.ts';
import { freePort } from '../support/free-port.ts';
import { hubArguments } from '../testkit/hub-arguments.ts';

const root = join(import.meta.dirname, '../..');
const READY_WITHIN_MS = 20_000;

const ENV = {
  LOG_LEVEL: 'warn',
  ADMISSIONS_PER_SECOND: '100000',
  SHUTDOWN_GRACE_MS: '2000',
};
const TUNING = { connectsPerMinute: 100_000, wrongKeysPerMinute: 100_000, shutdownNoticeMs: 500 };

/** Waits until `holds`; fails after 20 s. */
const until = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${READY_WITHIN_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** One process of the hub, which can be killed, paused, and started again on its port. */
export const openNode = async (name: string, env: Record<string, string>, tuning: Partial<Tuning> = {}) => {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let said = '';

  const launch = (): ChildProcess => {
    const launched = spawn(process.execPath, hubArguments({ ...TUNING, ...tuning }), {
      cwd: root,
      env: { ...process.env, ...ENV, ...env, NODE_NAME: name, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [launched.stdout, launched.stderr]) {
      stream?.on('data', (text) => {
        said = (said + String(text)).slice(-20_000);
      });
    }
    return launched;
  };
  const isReady = (): Promise<boolean> =>
    fetch(`${address}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const start = async (): Promise<void> => {
    const launched = launch();
    child = launched;
    await until(async () => {
      if (launched.exitCode !== null) throw new Error(`${name} ended: ${said}`);
      return isReady();
    }, `${name} is ready`);
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    const dying = child;
    child = undefined;
    if (dying === undefined || dying.exitCode !== null) return;
    const exited = once(dying, 'exit');
    dying.kill('SIGCONT');
    dying.kill(signal);
    await exited;
  };
  return {
    name,
    port,
    address,
    bridgeUrl: `ws://127.0.0.1:${port}/bridge`,
    start,
    stop,
    /** The exit code of one that is expected to refuse to start. */
    refusal: async (): Promise<{ code: number | null; said: string }> => {
      const launched = launch();
      child = launched;
      if (launched.exitCode === null) await once(launched, 'exit');
      return { code: launched.exitCode, said };
    },
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    said: () => said,
  };
};
