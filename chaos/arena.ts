import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../simulator/random.ts';
import { freePort } from '../tests/testkit/free-port.ts';
import { makeTenantAt } from '../tests/testkit/make-tenant.ts';
import { createVictim } from '../tests/testkit/processes.ts';
import { until } from '../tests/testkit/until.ts';
import { createCaller } from './caller.ts';
import { type Fault, planFaults } from './faults.ts';
import { IMPATIENT, IMPATIENT_HUB, TARGETS } from './impatient.ts';
import { openProxy } from './proxy.ts';
import type { ChaosWorld } from './worlds.ts';

const SETTLED_WITHIN_MS = 10_000;

type ProjectAnswer = { commands: { accepted: number; dispatched: number; indeterminate: number } };

/** The system under test: a real hub, a game server in its own process, and a proxy before each. */
export const openArena = async (world: ChaosWorld) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-chaos-'));
  const hubFile = join(folder, 'hub.db');
  const worldFile = join(folder, 'world.db');
  const { key, tokens } = await makeTenantAt(`file:${hubFile}`, 'chaos', { servers: ['main'] });
  const [token = ''] = tokens;
  const port = await freePort();
  const callerLine = await openProxy(() => port);
  const bridgeLine = await openProxy(() => port);
  const hub = createVictim(IMPATIENT_HUB, {
    ...IMPATIENT,
    DATABASE_URL: `file:${hubFile}`,
    PORT: String(port),
  });
  const gameUrl = `ws://127.0.0.1:${bridgeLine.port}/bridge`;
  const game = createVictim(world.args({ url: gameUrl, token, folder }), {});

  const read = async <T>(path: string): Promise<T | undefined> => {
    try {
      const signal = AbortSignal.timeout(2_000);
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-API-Key': key }, signal });
      return response.ok ? ((await response.json()) as T) : undefined;
    } catch {
      return undefined;
    }
  };
  const isConnected = async (): Promise<boolean> =>
    (await read<{ connected: boolean }>('/api/v2/servers/main'))?.connected === true;

  const heal = async (): Promise<void> => {
    for (const line of [callerLine, bridgeLine]) {
      line.calm();
      line.weather({ delayMs: 0, isStalled: false });
    }
    for (const victim of [hub, game]) {
      victim.start();
      victim.resume();
      await victim.limitFiles('unlimited');
    }
    if (world.faults.length > 0) game.tell('database up');
    await until(isConnected, 'the game server is connected');
  };

  hub.start();
  await until(async () => (await read('/api/v2/project')) !== undefined, 'the hub answers').catch((error) => {
    throw new Error(`the hub said: ${hub.said()}`, { cause: error });
  });
  game.start();
  await heal();
  let targets: string[] = [];
  await until(async () => {
    const players = await read<{ data: { identifier: string }[] }>(`/api/v2/players?limit=${TARGETS}`);
    targets = players?.data.map(({ identifier }) => identifier) ?? [];
    return targets.length === TARGETS;
  }, 'the players are listed');
  const ledgers = world.openLedgers({ hubFile, game });
  await ledgers.fresh();

  const arena = {
    world,
    hub,
    game,
    callerLine,
    bridgeLine,
    ledgers,
    heal,
    targets: targets as [string, ...string[]],
    caller: createCaller({ address: () => `http://127.0.0.1:${callerLine.port}`, key }),
    /** Size of a victim's write-ahead log: the limit for a database that is full from now on. */
    sizeOf: async (victim: 'hub' | 'game'): Promise<number> =>
      (await stat(`${victim === 'hub' ? hubFile : worldFile}-wal`).catch(() => ({ size: 0 }))).size,
    /** Waits at most ten seconds until no command is open; a command that is still open then is lost. */
    settled: (): Promise<void> =>
      until(
        async () => {
          const project = await read<ProjectAnswer>('/api/v2/project');
          return project !== undefined && project.commands.accepted + project.commands.dispatched === 0;
        },
        'every command has ended',
        { withinMs: SETTLED_WITHIN_MS },
      ).catch(() => undefined),
    planFaults: (random: Random): Fault[] => planFaults(arena, random),
    close: async (): Promise<void> => {
      ledgers.close();
      await game.kill();
      await hub.kill();
      for (const line of [callerLine, bridgeLine]) line.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return arena;
};
