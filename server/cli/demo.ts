import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { provisionFirst } from '../admin/projects.ts';
import type { Hub } from '../hub.ts';
import { readConfig } from '../platform/config.ts';
import { createLogger } from '../platform/logging.ts';
import { CliError, print } from './output.ts';
import { preparePanel } from './panel.ts';
import { stopOnSignal } from './signals.ts';

const PLAYERS = 200;
const READY_WITHIN_MS = 30_000;
/** The demo's world is the same each time, and this player stays online for more than an hour. */
const STAYS = 'José Muñoz';

const waitForPlayers = async (hub: Hub, projectId: string): Promise<string> => {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    const page = await hub.players.list({ projectId, online: true, search: STAYS, limit: 1, offset: 0 });
    const [first] = page.rows;
    if (first !== undefined && (await hub.store.projects.totals(projectId)).players >= PLAYERS) return first.identifier;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new CliError('the simulated game server did not connect');
};

/** Commands to try: what each one shows, and the line to paste. */
const tour = (address: string, key: string, player: string): (readonly [says: string, line: string])[] => {
  const header = `-H 'X-API-Key: ${key}'`;
  const get = (path: string): string => `curl -s '${address}/api/v2/${path}' ${header}`;
  const post = (path: string, body: object): string =>
    `curl -s -X POST '${address}/api/v2/bridge/main/${path}' ${header} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    ['the health of the hub and its databases: 200', get('health')],
    ['three of the players: 200', get('players?limit=3')],
    ['players by a part of their name: 200', get('players?search=ana')],
    ['one of them with inventory, vehicles and balances: 200', get(`players/${encodeURIComponent(player)}`)],
    [
      'give money, once, however often you send it: 200',
      `${post('money', { target: player, type: 'bank', amount: 500, action: 'add', reason: 'welcome bonus' })} -H 'Idempotency-Key: welcome-1'`,
    ],
    [
      'take more money than the player has: 409',
      `${post('money', { target: player, type: 'cash', amount: 1_000_000_000, action: 'remove' })} -H 'Idempotency-Key: fee-1'`,
    ],
    [
      'kick the player: 200, and 409 after the player has left',
      post('kick', { target: player, reason: 'Testing the kick' }),
    ],
    ['who asked what, and what happened: 200', get('commands?limit=3')],
    ['what happens now, until Ctrl+C: 200', `curl -sN '${address}/api/v2/events' ${header}`],
  ];
};

const demo = async (): Promise<void> => {
  const { runHub } = await import('./run-hub.ts');
  const { simulate } = await import('../../simulator/simulate.ts');
  const closers: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (const close of closers.reverse()) await close();
  };
  const stop = (): Promise<void> => {
    stopping ??= closeAll();
    return stopping;
  };
  // The demo has its own database, also if DATABASE_URL is set.
  const own = { DATABASE_URL: undefined, MIGRATE_ON_START: 'true' };
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env, ...own });
  stopOnSignal(stop, createLogger(config.LOG_LEVEL));

  await preparePanel(print);
  const folder = await mkdtemp(join(tmpdir(), 'causeway-demo-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  try {
    const { hub, address } = await runHub({ ...config, DATABASE_URL: `file:${join(folder, 'causeway.db')}` });
    closers.push(hub.stop);
    const first = await provisionFirst(hub.store, { name: 'Demo', server: { id: 'main', name: 'Main server' } });
    const project = first && (await hub.store.projects.bySlug(first.project));
    if (first === undefined || project === undefined) throw new CliError('the demo database is not empty');
    const url = `${address.replace('http', 'ws')}/bridge`;
    const simulation = simulate({ url, token: first.token, players: PLAYERS, worldFile: join(folder, 'world.db') });
    closers.push(simulation.stop);
    const player = await waitForPlayers(hub, project.id);
    print(`Causeway runs at ${address} with a simulated game server of ${PLAYERS} players.\n`);
    print(`  panel      ${address}  (sign in with the key)`);
    print(`  docs       ${address}/docs`);
    print(`  API key    ${first.key}\n`);
    print('Paste any of these into another terminal:\n');
    for (const [says, line] of tour(address, first.key, player)) print(`# ${says}\n${line}\n`);
    print('Ctrl+C stops it; nothing is kept.');
  } catch (error) {
    // Errors after a signal come from the stop.
    const isStopped = stopping !== undefined;
    await stop();
    if (!isStopped) throw error;
  }
};

export const defineDemo = (command: Command): Command => command.action(demo);
