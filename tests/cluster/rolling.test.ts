import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../kit/folder.ts';
import { createEconomy, type Economy, startGameServer } from '../kit/game-server.ts';
import { until } from '../kit/until.ts';
import { type Answer, type Cluster, hasServices, startCluster } from './cluster.ts';
import { openProxyServer, type ProxyName } from './proxies.ts';

/** How often all three nodes are restarted. CI has time for one. */
const ROLLS = Number(process.env['TEST_ROLLS'] ?? 1);
/** CI has time for HAProxy; nginx and Caddy are for `TEST_PROXIES=haproxy,nginx,caddy`. */
const PROXIES = (process.env['TEST_PROXIES'] ?? 'haproxy').split(',') as ProxyName[];
const ROLL_WITHIN_MS = 120_000;
/** Two cores carry it beside three nodes, the databases and the proxy; a lab note has a faster run. */
const PER_SECOND = 60;
const SERVERS = ['one', 'two', 'three', 'four'];
/** Payments of one player wait for each other. */
const PLAYERS = Array.from({ length: 25 }, (_, n) => `char1:${n}`);
/** Payments that are sent and answered between two restarts: a hub that has just started answers slowly. */
const CALM = 90;
const REPEAT_AFTER_MS = 200;
const MAX_REPEATS = 60;

type Payment = { kick?: true; key: string | undefined; answer: Answer | undefined; repeats: number };
type Pay = (server: string, target: string, n: number) => Promise<Payment>;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends requests over kept connections to the proxy: `fetch` would repeat some that were cut. */
const createCaller = ({ port, key }: { port: number; key: string }) => {
  const agent = new Agent({ keepAlive: true, noDelay: true });
  const ask = (method: string, path: string, json: object = {}, headers: Record<string, string> = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const from = performance.now();
      const payload = method === 'GET' ? '' : JSON.stringify(json);
      const fields = {
        'X-API-Key': key,
        'Content-Type': 'application/json',
        'Content-Length': payload.length,
        ...headers,
      };
      const sent = request({ host: '127.0.0.1', port, method, path, agent, headers: fields }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () => {
          const body = text.startsWith('{') ? JSON.parse(text) : {};
          resolve({ status: response.statusCode ?? 0, body, ms: performance.now() - from });
        });
      });
      sent.on('error', reject);
      sent.end(payload);
    });
  return {
    money: (server: string, target: string, headers: Record<string, string>) =>
      ask('POST', `/api/v2/bridge/${server}/money`, { target, type: 'bank', amount: 1, action: 'add' }, headers),
    kick: (server: string, target: string) => ask('POST', `/api/v2/bridge/${server}/kick`, { target }),
    isConnected: async (server: string): Promise<boolean> =>
      (await ask('GET', `/api/v2/servers/${server}`)).body['connected'] === true,
    close: (): void => agent.destroy(),
  };
};

/** Pays at a steady rate, in turn for every player of every server, until it is told to end. */
const startPaying = (pay: Pay) => {
  const paying: Promise<Payment>[] = [];
  const from = performance.now();
  const flow = setInterval(() => {
    const due = ((performance.now() - from) * PER_SECOND) / 1_000;
    for (let n = paying.length; n < due; n += 1) {
      const server = SERVERS[n % SERVERS.length] ?? '';
      paying.push(pay(server, PLAYERS[Math.floor(n / SERVERS.length) % PLAYERS.length] ?? '', n));
    }
  }, 5);
  return {
    calm: async (): Promise<void> => {
      const begun = paying.length;
      await until(() => paying.length >= begun + CALM, 'payments go on');
      await Promise.all(paying.slice(begun, begun + CALM));
    },
    end: async (): Promise<Payment[]> => {
      clearInterval(flow);
      return Promise.all(paying);
    },
  };
};

const isPaid = ({ answer }: Payment): boolean => answer?.status === 200;
/** How payments ended that were not paid, and how many in each way. */
const failuresOf = (payments: readonly Payment[]): Record<string, number> => {
  const failures: Record<string, number> = {};
  for (const { kick, key, answer } of payments.filter((each) => !isPaid(each))) {
    const how = `${kick === true ? 'kick ' : ''}${key === undefined ? 'without' : 'with'} key: ${answer?.status ?? 'cut'} ${answer?.body['code'] ?? ''}`;
    failures[how] = (failures[how] ?? 0) + 1;
  }
  return failures;
};

describe.runIf(hasServices)('three nodes, restarted in turn, under payments and kicks', () => {
  let cluster: Cluster;
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    cluster = await startCluster({
      env: { TRUST_PROXY: '1', SHUTDOWN_GRACE_MS: '5000' },
      tuning: { shutdownNoticeMs: 3_000 },
    });
    for (const server of SERVERS) tokens.set(server, await cluster.newServer(server));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(() => cluster?.dispose());
  const tokens = new Map<string, string>();

  /** Four game servers and callers, all of them behind the proxy. */
  const open = async (name: ProxyName) => {
    const proxy = await openProxyServer(
      name,
      cluster.nodes.map(({ port }) => port),
    );
    closing.push(proxy.close);
    const economies: Economy[] = [];
    for (const server of SERVERS) {
      const economy = createEconomy(Object.fromEntries(PLAYERS.map((player) => [player, 0])));
      economies.push(economy);
      const token = tokens.get(server) ?? '';
      const game = startGameServer({ url: () => proxy.bridgeUrl, token, folder: newFolder(), economy });
      closing.push(game.stop);
    }
    const caller = createCaller({ port: proxy.port, key: cluster.key });
    closing.push(caller.close);
    for (const server of SERVERS) await expect.poll(() => caller.isConnected(server)).toBe(true);
    return {
      caller,
      applied: () => economies.flatMap(({ applied }) => applied.map(({ id }) => id)),
      kicked: () => economies.flatMap(({ kicked }) => kicked).length,
    };
  };
  type Stage = Awaited<ReturnType<typeof open>>;

  /** Every fifth caller kicks, every second one sends a key, and none repeats. */
  const payOnce =
    ({ caller }: Stage): Pay =>
    async (server, target, n) => {
      if (n % 5 === 4) {
        const answer = await caller.kick(server, target).catch(() => undefined);
        return { kick: true, key: undefined, answer, repeats: 0 };
      }
      const key = n % 2 === 0 ? randomUUID() : undefined;
      const headers = { Prefer: 'wait=10', ...(key !== undefined && { 'Idempotency-Key': key }) };
      const answer = await caller.money(server, target, headers).catch(() => undefined);
      return { key, answer, repeats: 0 };
    };

  /** Repeats by the same key as docs/reference/errors.md says. */
  const payUntilPaid =
    ({ caller }: Stage): Pay =>
    async (server, target) => {
      const key = randomUUID();
      const headers = { 'Idempotency-Key': key, Prefer: 'wait=10' };
      for (let repeats = 0; ; repeats += 1) {
        const answer = await caller.money(server, target, headers).catch(() => undefined);
        if (answer?.status === 200 || repeats === MAX_REPEATS) return { key, answer, repeats };
        await pause(REPEAT_AFTER_MS);
      }
    };

  const roll = async (signal: NodeJS.Signals, { calm, end }: ReturnType<typeof startPaying>): Promise<Payment[]> => {
    await calm();
    for (const node of Array.from({ length: ROLLS }, () => cluster.nodes).flat()) {
      await node.stop(signal);
      await node.start();
      await calm();
    }
    return end();
  };

  const judge = (name: string, payments: readonly Payment[], applied: readonly string[]): void => {
    const paid = payments.filter((each) => isPaid(each) && each.kick === undefined);
    const slowest = Math.max(...paid.map(({ answer }) => answer?.ms ?? 0));
    const repeats = payments.reduce((sum, each) => sum + each.repeats, 0);
    const failed = JSON.stringify(failuresOf(payments));
    process.stdout.write(
      `${name}: ${payments.length} payments, failed ${failed}, ${repeats} repeats, longest ${Math.round(slowest)} ms\n`,
    );
    const ids = paid.map(({ answer }) => answer?.body['id']);
    expect(new Set(applied).size).toBe(applied.length);
    expect(applied).toEqual(expect.arrayContaining(ids));
  };

  describe.each(PROXIES)('behind %s', (name) => {
    it('fail no payment and no kick, though no caller repeats one', { timeout: ROLLS * ROLL_WITHIN_MS }, async () => {
      const stage = await open(name);
      const payments = await roll('SIGTERM', startPaying(payOnce(stage)));
      judge(`${name}, SIGTERM`, payments, stage.applied());
      expect(failuresOf(payments)).toEqual({});
      const kicks = payments.filter(({ kick }) => kick === true).length;
      expect(stage.applied()).toHaveLength(payments.length - kicks);
      expect(stage.kicked()).toBe(kicks);
    });

    it('are killed: repeated by the same key, all are paid once', { timeout: ROLLS * ROLL_WITHIN_MS }, async () => {
      const stage = await open(name);
      const payments = await roll('SIGKILL', startPaying(payUntilPaid(stage)));
      judge(`${name}, SIGKILL`, payments, stage.applied());
      expect(failuresOf(payments)).toEqual({});
      expect(stage.applied()).toHaveLength(payments.length);
    });
  });
});
