import { randomUUID } from 'node:crypto';
import { pause } from './hub.ts';
import { openNodes } from './nodes.ts';
import { type Line, lineOf, type Measure } from './report.ts';
import type { GameEvent } from './telling.ts';

const BRIDGES = 50;
const PLAYERS = 4;
const PER_SECOND = 500;
const TURN_MS = 10;
/** Waiting time before, between and after the restarts. */
const CALM_MS = 5_000;
/** Number of restarts of the whole cluster; enough moves for a p99 that is not the maximum. */
const ROUNDS = 2;
/** The opening balance of a player in the promises' game. */
const OPENING_BALANCE = 1_000_000;
const BOUND_MS = 100;

type Paid = { server: string; target: string; ms: number; isGood: boolean };

/** Sends each request once: retries by the callers would hide the cost of a restart. */
const pay = async ({ next }: Pick<Awaited<ReturnType<typeof openNodes>>, 'next'>, server: string, target: string) => {
  const from = performance.now();
  const headers = { 'Idempotency-Key': randomUUID() };
  const answer = await next()
    ?.caller.money(server, target, { headers })
    .catch(() => undefined);
  const after = Number(answer?.body.result?.['after']);
  return { server, target, ms: performance.now() - from, isGood: answer?.status === 200, after };
};

/**
 * How long each move of a bridge may have left it without a session that takes commands, ms. It counts from the hello
 * to the other node, or from the end of the old connection if that came first, until the welcome.
 */
const gapsOf = (events: readonly GameEvent[], server: string): number[] => {
  const gaps: number[] = [];
  let current: number | undefined;
  let since: number | undefined;
  for (const one of events) {
    if (one.server !== server) continue;
    if (one.event === 'welcome') {
      if (current !== undefined && since !== undefined) gaps.push(one.atMs - since);
      current = one.connection;
      since = undefined;
    } else if (one.event === 'hello' || (one.event === 'closed' && one.connection === current)) since ??= one.atMs;
  }
  return gaps;
};

/** Restarts both nodes one after the other, several times, while callers send payments to the running nodes. */
export const rollingRestart: Measure = async (): Promise<Line[]> => {
  const servers = Array.from({ length: BRIDGES }, (_, n) => `s${n}`);
  const cluster = await openNodes(servers, 2);
  try {
    for (const server of servers) cluster.games.open(server);
    for (const server of servers) await cluster.games.welcomed(server);
    const paying: Promise<Paid>[] = [];
    const targetOf = (n: number): string => `char1:${Math.floor(n / BRIDGES) % PLAYERS}`;
    const from = performance.now();
    const flow = setInterval(() => {
      // Sends the requests that a late turn of the event loop has missed.
      const due = ((performance.now() - from) * PER_SECOND) / 1_000;
      for (let n = paying.length; n < due; n += 1) {
        paying.push(pay(cluster, servers[n % BRIDGES] ?? '', targetOf(n)));
      }
    }, TURN_MS);
    await pause(CALM_MS);
    const calm = paying.length;
    const [calmMs, before] = [performance.now(), await cluster.cpu()];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const node of cluster.nodes) {
        await node.restart();
        await pause(CALM_MS);
      }
    }
    clearInterval(flow);
    const cpu = await cluster.cpu();
    const busy = Object.entries(cpu)
      .map(
        ([who, seconds]) =>
          `${who} ${((seconds - (before[who] ?? 0)) / ((performance.now() - calmMs) / 1_000)).toFixed(2)}`,
      )
      .join(', ');
    const all = await Promise.all(paying);
    const restarting = all.slice(calm);
    let wrong = 0;
    for (const server of servers) {
      for (let n = 0; n < PLAYERS; n += 1) {
        const paid = all.filter((one) => one.server === server && one.target === `char1:${n}` && one.isGood).length;
        const { after } = await pay(cluster, server, `char1:${n}`);
        if (after !== OPENING_BALANCE + paid + 1) wrong += 1;
      }
    }
    const slowest = servers.map((server) =>
      Math.max(...restarting.filter((one) => one.server === server).map(({ ms }) => ms)),
    );
    const failed = all.filter(({ isGood }) => !isGood).length;
    const gaps = servers.flatMap((server) => gapsOf(cluster.games.heard(), server));
    const none = { bound: 'none', isKept: undefined };
    return [
      {
        what: 'payments that failed, none of them asked for again',
        bound: '0',
        measured: `${failed} of ${all.length}`,
        isKept: failed === 0,
      },
      { what: 'balances that are not what was paid', bound: '0', measured: `${wrong} of 200`, isKept: wrong === 0 },
      lineOf('the gap of a bridge that moves to the other node', gaps, { share: 0.99, ms: BOUND_MS }),
      {
        ...lineOf('the longest that a bridge kept a caller waiting', slowest, { share: 0.99, ms: BOUND_MS }),
        ...none,
      },
      {
        ...lineOf(
          'a payment in the restarts',
          restarting.map(({ ms }) => ms),
          { share: 0.99, ms: BOUND_MS },
        ),
        ...none,
      },
      {
        ...lineOf(
          'a payment before',
          all.slice(0, calm).map(({ ms }) => ms),
          { share: 0.99, ms: BOUND_MS },
        ),
        ...none,
      },
      { what: 'cores that were busy in the restarts', measured: busy, ...none },
    ];
  } finally {
    await cluster.games.kill();
    await cluster.close();
  }
};
