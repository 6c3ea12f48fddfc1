import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../simulator/random.ts';
import { freePort } from '../tests/kit/free-port.ts';
import { makeTenantAt } from '../tests/kit/make-tenant.ts';
import { createVictim } from '../tests/kit/processes.ts';
import { until } from '../tests/kit/until.ts';
import { createCaller } from './caller.ts';
import { type Fault, planFaults } from './faults.ts';
import { CHAOS_ENV, CHAOS_HUB, TARGETS } from './limits.ts';
import { type Announced, announcedBy, termsOf } from './offers.ts';
import { openProxy } from './proxy.ts';
import { openReceiver, webhookPost } from './receiver.ts';
import { createShop } from './shop.ts';
import type { ChaosWorld } from './worlds.ts';

/** A busy machine may need long; a command that is lost has not ended after any time. */
const SETTLED_WITHIN_MS = 60_000;

type PlayerAnswer = { accounts: Record<string, number> };
type ServerAnswer = { connected: boolean; bridge: Announced | null };
type ProjectAnswer = { commands: { accepted: number; dispatched: number; indeterminate: number } };

/** The system under test: a real hub, a game server in its own process, and a proxy before each. */
export const openArena = async (world: ChaosWorld, hasWebhook: boolean) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-chaos-'));
  const hubFile = join(folder, 'hub.db');
  const worldFile = join(folder, 'world.db');
  const { key, tokens } = await makeTenantAt(`file:${hubFile}`, 'chaos', { servers: ['main'] });
  const [token = ''] = tokens;
  const port = await freePort();
  const callerLine = await openProxy(() => port);
  const bridgeLine = await openProxy(() => port);
  const hub = createVictim(CHAOS_HUB, {
    ...CHAOS_ENV,
    DATABASE_URL: `file:${hubFile}`,
    PORT: String(port),
  });
  const gameUrl = `ws://127.0.0.1:${bridgeLine.port}/bridge`;
  const args = await world.args({ url: gameUrl, token, folder });
  const game = createVictim(args, {}, { program: world.program });

  const read = async <T>(path: string, more: Record<string, string> = {}): Promise<T | undefined> => {
    try {
      const signal = AbortSignal.timeout(2_000);
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { 'X-API-Key': key, ...more },
        signal,
      });
      return response.ok ? ((await response.json()) as T) : undefined;
    } catch {
      return undefined;
    }
  };
  const isConnected = async (): Promise<boolean> =>
    (await read<ServerAnswer>('/api/v2/servers/main'))?.connected === true;

  const heal = async (): Promise<void> => {
    for (const line of [callerLine, bridgeLine]) {
      line.calm();
      line.setCondition({ delayMs: 0, isStalled: false });
    }
    for (const child of [hub, game]) {
      child.start();
      child.resume();
      await child.limitFiles('unlimited');
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
  await world.populate?.({ args, folder });
  let targets: string[] = [];
  await until(async () => {
    const players = await read<{ data: { identifier: string }[] }>(`/api/v2/players?limit=${TARGETS}`);
    targets = players?.data.map(({ identifier }) => identifier) ?? [];
    return targets.length === TARGETS;
  }, 'the players are listed');
  /** As the game has them now, not the hub's copies. */
  const balances = async (): Promise<Record<string, number>> => {
    const fresh = { 'Cache-Control': 'no-cache' };
    const players = await Promise.all(targets.map((name) => read<PlayerAnswer>(`/api/v2/players/${name}`, fresh)));
    return Object.fromEntries(targets.map((name, nth) => [name, players[nth]?.accounts['bank'] ?? Number.NaN]));
  };
  const ledgers = world.openLedgers({ hubFile, game, balances });
  const { stocks } = await ledgers.fresh();
  const announced = await announcedBy(() => read<ServerAnswer>('/api/v2/servers/main'));
  const terms = termsOf(announced, world, stocks);
  const address = (): string => `http://127.0.0.1:${callerLine.port}`;
  const shop = createShop({ address, key });
  await shop.open(terms.offer.goods);

  const receiver = hasWebhook
    ? await openReceiver(webhookPost({ address: `http://127.0.0.1:${port}`, key }), ledgers.books.ask)
    : undefined;

  const arena = {
    world,
    hub,
    game,
    callerLine,
    bridgeLine,
    ledgers,
    receiver,
    heal,
    targets: targets as [string, ...string[]],
    ...terms,
    caller: createCaller({ address, key, shop }),
    /** Size of the write-ahead log of hub or game: the limit for a database that is full from now on. */
    sizeOf: async (which: 'hub' | 'game'): Promise<number> =>
      (await stat(`${which === 'hub' ? hubFile : worldFile}-wal`).catch(() => ({ size: 0 }))).size,
    /** Waits until no command is open, but not forever; a command that is still open then is lost. */
    settled: (): Promise<void> =>
      until(
        async () => {
          const project = await read<ProjectAnswer>('/api/v2/project');
          return project !== undefined && project.commands.accepted + project.commands.dispatched === 0;
        },
        'every command has ended',
        { withinMs: SETTLED_WITHIN_MS },
      ).catch(() => undefined),
    planFaults: (random: Random, always?: string): Fault[] => planFaults(arena, random, always),
    close: async (): Promise<void> => {
      receiver?.close();
      ledgers.close();
      await game.kill();
      await hub.kill();
      for (const line of [callerLine, bridgeLine]) line.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return arena;
};
