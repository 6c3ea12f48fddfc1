import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundled } from '../../tests/kit/bundled.ts';
import { freePort } from '../../tests/kit/free-port.ts';
import { makeTenantAt } from '../../tests/kit/make-tenant.ts';
import { until } from '../../tests/kit/until.ts';
import { createCaller } from './caller.ts';
import { cpuOf } from './cpu.ts';
import { openProcess } from './processes.ts';

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A hub in its own process with the given servers, as operators run it. It gets only a port and a file. */
export const startHub = async (servers: readonly string[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-promises-'));
  const file = join(folder, 'hub.db');
  const logFile = join(folder, 'hub.log');
  const { key, tokens } = await makeTenantAt(`file:${file}`, 'promises', { servers });
  const port = await freePort();
  const env = { DATABASE_URL: `file:${file}`, PORT: String(port) };
  const caller = createCaller({ port, key });
  const program = await bundled();
  const start = () => openProcess([program, 'start'], { logFile, env });

  let hub = start();
  await until(caller.isReady, 'the hub is ready');
  return {
    folder,
    file,
    logFile,
    env,
    caller,
    url: `ws://127.0.0.1:${port}/bridge`,
    tokenOf: (server: string): string => tokens[servers.indexOf(server)] ?? '',
    /** CPU seconds since its start. */
    cpu: (): Promise<number> => cpuOf(hub.child.pid),
    kill: (): Promise<void> => hub.kill(),
    restart: async (): Promise<void> => {
      hub = start();
      await until(caller.isReady, 'the hub is ready again');
    },
    /** One value of /metrics; 0 if the metric has no line yet. */
    metric: async (name: string): Promise<number> => {
      const line = (await caller.text('/metrics')).split('\n').find((each) => each.startsWith(`${name} `));
      return Number(line?.split(' ')[1] ?? 0);
    },
    close: async (): Promise<void> => {
      caller.close();
      await hub.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
export type BenchHub = Awaited<ReturnType<typeof startHub>>;
