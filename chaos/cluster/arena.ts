import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../tests/kit/free-port.ts';
import { makeTenantAt } from '../../tests/kit/make-tenant.ts';
import { createVictim } from '../../tests/kit/processes.ts';
import { until } from '../../tests/kit/until.ts';
import { createCaller } from '../caller.ts';
import type { Playground } from '../episode.ts';
import { TARGETS } from '../limits.ts';
import { type Announced, announcedBy, termsOf } from '../offers.ts';
import { openProxy } from '../proxy.ts';
import { createShop } from '../shop.ts';
import type { ChaosWorld } from '../worlds.ts';
import { createBystander } from './bystander.ts';
import { planClusterFaults } from './faults.ts';
import { clusterLedgers, openRows } from './ledgers.ts';
import { type Node, openNode, together } from './nodes.ts';
import { openNatsServer, openPostgresServer } from './services.ts';

/** How long commands may stay open after the bridge is back; a command that is open later is lost. */
const LOST_AFTER_MS = 10_000;
/** The promised recovery time after the bridge is back. */
const SETTLED_WITHIN_MS = 3_000;
/** One second of waiting, and three more when the result of a database statement is unknown. */
const DEADLINE_MS = 6_000;

const next = <T>(items: readonly [T, ...T[]]): (() => T) => {
  let turn = 0;
  return () => {
    turn += 1;
    return items[turn % items.length] ?? items[0];
  };
};

/**
 * Nodes with a PostgreSQL and a NATS server, proxies before all of them; callers and a bridge use the nodes in turn.
 */
export const openClusterArena = async (world: ChaosWorld, count: number): Promise<Playground> => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-chaos-'));
  const natsPort = await freePort();
  const nats = await openNatsServer(natsPort);
  const postgres = await openPostgresServer(await freePort());
  const { key, tokens } = await makeTenantAt(postgres.url, 'chaos', { servers: ['main'] });
  const [token = ''] = tokens;
  const names = Array.from({ length: count }, (_, n) => `node-${n + 1}`);
  let hear = (_line: string): void => undefined;
  const where = { databaseUrl: postgres.url, natsPort, hear: (line: string): void => hear(line) };
  const nodes = (await Promise.all(names.map((name) => openNode(name, where)))) as [Node, ...Node[]];
  const nextForBridge = next(nodes);
  const nextForCaller = next(nodes);
  const bridgeLine = await openProxy(() => nextForBridge().port);
  const callerLine = together(nodes.map(({ callers }) => callers));
  const args = await world.args({ url: `ws://127.0.0.1:${bridgeLine.port}/bridge`, token, folder });
  const game = createVictim(args, {}, { hear: (line) => hear(`game: ${line}`) });
  const rows = openRows(postgres.url);

  /**
   * Whether the bridge is connected in its own view and in that of a live node, and that node is not the one that died.
   */
  const isConnected = async (): Promise<boolean> => {
    const states = game.said().match(/^\w+$/gm);
    if (states?.at(-1) !== 'welcomed') return false;
    const holder = await rows.holder().catch(() => undefined);
    return nodes.some(({ child }) => child.pid() !== undefined && child.pid() === holder);
  };
  const heal = async (): Promise<void> => {
    for (const line of [callerLine, bridgeLine]) {
      line.calm();
      line.setCondition({ delayMs: 0, isStalled: false });
    }
    for (const { bus, base } of nodes) for (const line of [bus, base]) line.mend();
    for (const child of [game, ...nodes.map((node) => node.child)]) {
      child.start();
      child.resume();
    }
    await until(isConnected, 'the game server is connected');
  };

  for (const { child } of nodes) child.start();
  for (const node of nodes) await until(node.isReady, `${node.name} is ready`);
  await heal();
  let targets: string[] = [];
  await until(async () => {
    targets = await rows.players(TARGETS);
    return targets.length === TARGETS;
  }, 'the players are listed');
  const ledgers = clusterLedgers({ rows, game });
  const { stocks } = await ledgers.fresh();
  const announced = await announcedBy(async () => {
    const headers = { 'X-API-Key': key };
    const answer = await fetch(`http://127.0.0.1:${nodes[0].port}/api/v2/servers/main`, { headers });
    return answer.ok ? ((await answer.json()) as { bridge: Announced | null }) : undefined;
  });
  const address = (): string => `http://127.0.0.1:${nextForCaller().callers.port}`;
  const shop = createShop({ address, key });
  const terms = termsOf(announced, world, stocks);
  await shop.open(terms.offer.goods);
  const caller = createCaller({ address, key, shop, deadlineMs: DEADLINE_MS });
  const bystander = createBystander({ ports: nodes.map(({ port }) => port), key });

  return {
    ...terms,
    bridgeLine,
    ledgers,
    heal,
    targets: targets as [string, ...string[]],
    caller,
    settled: () =>
      until(async () => (await rows.open()) === 0, 'every command has ended', { withinMs: LOST_AFTER_MS }).catch(
        () => undefined,
      ),
    settledWithinMs: SETTLED_WITHIN_MS,
    overhear: (listener) => {
      hear = listener;
    },
    planFaults: (random) => planClusterFaults({ nodes, game, bridgeLine, callerLine, nats, postgres }, random),
    watch: async (isOver) => [...(await bystander.watch(isOver)), ...caller.takeHung()],
    close: async (): Promise<void> => {
      ledgers.close();
      await game.kill();
      for (const node of nodes) await node.close();
      for (const line of [callerLine, bridgeLine]) line.close();
      await postgres.close();
      await nats.end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
};
