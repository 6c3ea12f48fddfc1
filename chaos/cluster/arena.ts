import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../tests/kit/free-port.ts';
import { makeTenantAt } from '../../tests/kit/make-tenant.ts';
import { createVictim, type Victim } from '../../tests/kit/processes.ts';
import { until } from '../../tests/kit/until.ts';
import { openBooks, type Row } from '../books.ts';
import { createCaller } from '../caller.ts';
import type { Playground } from '../episode.ts';
import type { Ledgers } from '../ledgers.ts';
import { TARGETS } from '../limits.ts';
import { type Announced, announcedBy, termsOf } from '../offers.ts';
import { openProxy } from '../proxy.ts';
import { openReceiver, webhookPost } from '../receiver.ts';
import { createShop } from '../shop.ts';
import type { Report } from '../stock.ts';
import type { ChaosWorld } from '../worlds.ts';
import { planClusterFaults } from './faults.ts';
import { type Node, openNatsServer, openNode, openPostgresServer, together } from './nodes.ts';

const ANSWERED_WITHIN_MS = 3_000;
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
        signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
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

/** A row gets its number when its insert begins, so it may become visible after rows with higher numbers. */
const OVERLAP = 1_000;

/** The bystander's kicks are not checked. */
const CHECKED = `name <> 'kick'`;

/** Reads the cluster's rows directly from PostgreSQL. */
export const openRows = (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  const ask = async <T extends pg.QueryResultRow>(statement: string, values: unknown[] = []): Promise<T[]> =>
    (await pool.query<T>(statement, values)).rows;
  return {
    /** Number of open commands. */
    open: async (): Promise<number> => {
      const found = await ask(`SELECT 1 FROM commands WHERE status IN ('accepted', 'dispatched') AND ${CHECKED}`);
      return found.length;
    },
    /** The node that holds the bridge, according to its row. */
    holder: async (): Promise<number | undefined> => {
      const held = await ask<{ pid: number }>(
        'SELECT n.pid FROM sessions s JOIN nodes n ON n.id = s.node WHERE s.connected',
      );
      return held[0] && Number(held[0].pid);
    },
    ask,
    after: (seq: number): Promise<Row[]> =>
      ask<Row>(
        `SELECT seq::int AS seq, id, name, status, params::text, result::text, error::text, idempotency_key AS key FROM commands
         WHERE ${CHECKED} AND seq > $1 ORDER BY seq`,
        [seq],
      ),
    players: async (limit: number): Promise<string[]> =>
      (await ask<{ identifier: string }>('SELECT identifier FROM players WHERE online LIMIT $1', [limit])).map(
        ({ identifier }) => identifier,
      ),
    close: (): void => void pool.end().catch(() => undefined),
  };
};
export type Rows = ReturnType<typeof openRows>;

/** The commands of all nodes, and their effects in the game's own ledger and goods. */
export const clusterLedgers = ({ rows, game }: { rows: Rows; game: Victim }): Ledgers => {
  const seen = new Set<string>();
  let last = { seq: 0, line: 0 };
  return {
    fresh: async () => {
      const { stock, ...told } = (await game.ask(last.line)) as Report;
      const found = (await rows.after(last.seq - OVERLAP)).filter(({ id }) => !seen.has(id));
      for (const { id } of found) seen.add(id);
      last = { seq: found.at(-1)?.seq ?? last.seq, line: told.lines.at(-1)?.id ?? last.line };
      return { rows: found, ...told, stocks: { stored: stock, saved: stock } };
    },
    books: openBooks(rows.ask),
    close: rows.close,
  };
};

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
export const openClusterArena = async (world: ChaosWorld, count: number, hasWebhook: boolean): Promise<Playground> => {
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

  const post = webhookPost({ address: `http://127.0.0.1:${nodes[0].port}`, key });
  const receiver = hasWebhook ? await openReceiver(post, rows.ask) : undefined;

  return {
    ...terms,
    bridgeLine,
    ledgers,
    receiver,
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
    planFaults: (random, always) =>
      planClusterFaults({ nodes, game, bridgeLine, callerLine, nats, postgres }, random, always),
    watch: async (isOver) => [...(await bystander.watch(isOver)), ...caller.takeHung()],
    close: async (): Promise<void> => {
      receiver?.close();
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
