import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { simulate } from '../../simulator/simulate.ts';
import { readConfig } from '../config.ts';
import type { Hub } from '../hub.ts';
import { CliError, print } from './output.ts';
import { provisionFirst } from './provision.ts';
import { runHub, stopOnSignal } from './run-hub.ts';

const PLAYERS = 200;
const READY_WITHIN_MS = 30_000;

const waitForPlayers = async (hub: Hub, projectId: string): Promise<string> => {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    const page = await hub.players.list({ projectId, online: true, limit: 1, offset: 0 });
    const [first] = page.rows;
    if (first !== undefined && (await hub.store.projects.totals(projectId)).players >= PLAYERS) return first.identifier;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new CliError('the simulated game server did not come up');
};

const tour = (address: string, key: string, player: string): string[] => {
  const header = `-H 'X-API-Key: ${key}'`;
  const post = (path: string, body: object): string =>
    `curl -s -X POST '${address}/api/v2/bridge/main/${path}' ${header} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    `curl -s '${address}/api/v2/health' ${header}`,
    `curl -s '${address}/api/v2/players?limit=3' ${header}`,
    `curl -s '${address}/api/v2/players?search=ana' ${header}`,
    `curl -s '${address}/api/v2/players/${encodeURIComponent(player)}' ${header}`,
    post('money', { target: player, type: 'bank', amount: 500, action: 'add', reason: 'welcome bonus' }),
    post('money', { target: player, type: 'cash', amount: 1_000_000_000, action: 'remove' }),
    post('kick', { target: player, reason: 'Testing the kick' }),
    `curl -s '${address}/api/v2/commands?limit=3' ${header}`,
    `curl -sN '${address}/api/v2/events' ${header}`,
  ];
};

const demo = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-demo-'));
  const config = readConfig({
    LOG_LEVEL: 'warn',
    ...process.env,
    DATABASE_URL: `file:${join(folder, 'causeway.db')}`,
  });
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const { hub, log, address } = await runHub(config);
    const first = await provisionFirst(hub.store);
    const project = await hub.store.projects.bySlug('default');
    if (first === undefined || project === undefined) throw new CliError('the demo database is not empty');
    const url = `${address.replace('http', 'ws')}/bridge`;
    const simulation = simulate({
      url,
      token: first.token,
      players: PLAYERS,
      worldFile: join(folder, 'world.db'),
    });
    const player = await waitForPlayers(hub, project.id);
    print(`Causeway runs at ${address} with a simulated game server of ${PLAYERS} players.\n`);
    print(`  reference  ${address}/docs`);
    print(`  API key    ${first.key}\n`);
    print('Paste any of these into another terminal:\n');
    for (const line of tour(address, first.key, player)) print(`${line}\n`);
    print('Ctrl+C stops it; nothing is kept.');
    stopOnSignal(async () => {
      await simulation.stop();
      await hub.stop();
      await removeFolder();
    }, log);
  } catch (error) {
    await removeFolder();
    throw error;
  }
};

export const addDemoCommand = (program: Command): void => {
  program
    .command('demo')
    .description('the hub with a simulated game server of 200 players, ready to click and curl')
    .action(demo);
};
