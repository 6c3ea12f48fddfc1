import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../db/database.ts';
import { createStore } from '../db/store.ts';
import { createServer as createGameServer, createKey, createProject } from '../server/cli/provision.ts';
import { freePort } from '../tests/support/free-port.ts';
import { createCaller } from './caller.ts';
import { createVictim } from './processes.ts';
import { openProxy } from './proxy.ts';
import type { ChaosWorld } from './worlds.ts';

const READY_WITHIN_MS = 30_000;
const TARGETS = 8;
const SETTLED_WITHIN_MS = 10_000;

/** Hubs of this test bear what real ones never see: reconnects at once, and all the time. */
const IMPATIENT = {
  LOG_LEVEL: 'warn',
  SWEEP_EVERY_MS: '20',
  CONNECTS_PER_MINUTE: '1000000',
  ADMISSIONS_PER_SECOND: '1000000',
  RECEIVED_PROBE_MS: '200',
  RECEIVED_CLOSE_MS: '500',
};

const until = async (holds: () => Promise<boolean>, what: string, withinMs = READY_WITHIN_MS): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

const provision = async (databaseUrl: string): Promise<{ key: string; token: string }> => {
  const database = await openDatabase({ url: databaseUrl });
  await database.migrate();
  const store = createStore(database);
  const project = await createProject(store, { slug: 'chaos', name: 'Chaos', rateLimit: 1_000_000 });
  if (project === undefined) throw new Error('the project could not be made');
  const { key } = await createKey(store, project.id, { name: 'chaos' });
  const token = await createGameServer(store, project.id, { id: 'main', name: 'Main' });
  if (token === undefined) throw new Error('the server could not be made');
  await database.close();
  return { key, token };
};

type ProjectAnswer = { commands: { accepted: number; dispatched: number; indeterminate: number } };

/** A real hub, a game server in a process of its own, and proxies before both: everything that chaos is let loose on. */
export const openArena = async (world: ChaosWorld) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-chaos-'));
  const hubFile = join(folder, 'hub.db');
  const worldFile = join(folder, 'world.db');
  const { key, token } = await provision(`file:${hubFile}`);
  const port = await freePort();
  const callerLine = await openProxy(() => port);
  const bridgeLine = await openProxy(() => port);
  const hub = createVictim(['server/cli/causeway.js', 'start'], {
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

  return {
    world,
    hub,
    game,
    callerLine,
    bridgeLine,
    ledgers,
    heal,
    targets: targets as [string, ...string[]],
    caller: createCaller({ address: () => `http://127.0.0.1:${callerLine.port}`, key }),
    /** How large the database of a victim may grow if it is full now. */
    sizeOf: async (victim: 'hub' | 'game'): Promise<number> =>
      (await stat(`${victim === 'hub' ? hubFile : worldFile}-wal`).catch(() => ({ size: 0 }))).size,
    /** Waits until no command is on its way any more, at most ten seconds: what is left then is lost. */
    settled: (): Promise<void> =>
      until(
        async () => {
          const project = await read<ProjectAnswer>('/api/v2/project');
          return project !== undefined && project.commands.accepted + project.commands.dispatched === 0;
        },
        'every command has ended',
        SETTLED_WITHIN_MS,
      ).catch(() => undefined),
    close: async (): Promise<void> => {
      ledgers.close();
      await game.kill();
      await hub.kill();
      for (const line of [callerLine, bridgeLine]) line.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
export type Arena = Awaited<ReturnType<typeof openArena>>;
