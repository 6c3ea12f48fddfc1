import { expect, it } from 'vitest';
import { atEnd } from '../kit/ends.ts';
import { newFolder } from '../kit/folder.ts';
import { createVictim } from '../kit/processes.ts';
import { until } from '../kit/until.ts';
import { createClient } from './client.ts';
import { storedRecords } from './database.ts';
import { createServer, SERVER_PROGRAM } from './server.ts';
import { readVerdicts } from './verdicts.ts';

const PLAYERS = ['ana', 'rui', 'eva'] as const;
/** How long a client that has ended stays away. */
const BACK_AFTER_MS = 500;

/** A world that has seen the players, and clients that join whenever its server runs. */
const openVerified = async () => {
  const folder = newFolder();
  const server = await createServer({ folder });
  const clients = PLAYERS.map((name) => createClient({ folder, port: server.port, name }));
  const revive = (): void => {
    for (const client of clients) client.start();
  };
  await server.start();
  revive();
  await until(() => storedRecords(server.world) === PLAYERS.length, 'the world has seen the players');
  await server.stop();
  const timer = setInterval(revive, BACK_AFTER_MS);
  atEnd(async () => {
    clearInterval(timer);
    for (const client of clients) await client.kill();
  });
  return server;
};

it('keeps every rule inside the running game, with kills, slow checks and a kick', async () => {
  const { args } = await openVerified();
  const run = `exec ${SERVER_PROGRAM} ${args.join(' ')}`;
  const program = ['server/cli/causeway.js', 'bridge', 'verify', '--listen', '0', '--json', '--slow', '--run', run];
  const players = ['--target', 'rui', '--other', 'eva', '--kick', 'ana'];
  const cast = [...players, '--item', 'default:apple', '--custom', 'ring_bell {"tune":"la-la"}'];
  const verify = createVictim([...program, ...cast], {});
  verify.start();
  await verify.ended();
  const rules = readVerdicts(verify.said());
  for (const { rule, outcome, text } of rules) process.stdout.write(`${rule.padEnd(4)} ${outcome.padEnd(9)} ${text}\n`);
  expect(rules.filter(({ outcome }) => outcome !== 'pass').map(({ rule }) => rule)).toEqual([
    'R2',
    'R36',
    'R37',
    'R42',
    // The mod has no vehicles, and its players can play as soon as they are online.
    'R56',
    'R58',
  ]);
}, 1_500_000);
