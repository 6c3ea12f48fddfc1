import type { Command } from 'commander';
import { CLOSE_CODES } from '../../bridge-protocol/wire/close-codes.ts';
import { createLogger } from '../platform/logging.ts';
import { addVerifyCommand } from './bridge-verify.ts';
import { socketAddress, wholeNumber } from './options.ts';
import { CliError } from './output.ts';
import { stopOnSignal } from './signals.ts';

const MAX_PLAYERS = 100_000;

/** The process goes on: a supervisor would restart it, and it would take over from the other bridge. */
const REPLACED = 'another bridge with this token has taken over; this one stays idle until you stop it';

/** A server that is disabled may be enabled again. */
const REFUSED =
  'the hub refuses this bridge: enable its server, or start it again with the new token; it tries again every ten minutes';

type Options = {
  url: string;
  token?: string;
  players: number;
  world?: string;
  seed: number;
  lifeEvery: number;
};

/** The reason in the hub's refusal, or else the whole detail without the time of the next attempt. */
const reasonOf = (detail: string): string =>
  /"detail":"([^"]+)"/.exec(detail)?.[1] ?? detail.replace(/; looks again in \d+ ms$/, '');

const run = async ({ url, token, players, world, seed, lifeEvery }: Options): Promise<void> => {
  const secret = token ?? process.env['CAUSEWAY_TOKEN'];
  if (secret === undefined || secret === '') throw new CliError('give --token, or set CAUSEWAY_TOKEN', 2);
  const { simulate } = await import('../../simulator/simulate.ts');
  const log = createLogger('info');
  let isStopping = false;
  let wasWelcomed = false;
  let sendAway = (_detail: string): void => undefined;
  const sentAway = new Promise<string>((resolve) => {
    sendAway = resolve;
  });
  const simulation = simulate({
    url,
    token: secret,
    players,
    seed,
    lifeEveryMs: lifeEvery,
    ...(world === undefined ? {} : { worldFile: world }),
    log: (level, message) => log[level](message),
    onState: (state, detail) => {
      if (state === 'welcomed' || state === 'waiting') log.info({ detail }, state);
      if (state === 'welcomed') wasWelcomed = true;
      if (state !== 'stopped' || isStopping) return;
      if (detail.startsWith(`closed with ${CLOSE_CODES.replaced}`)) log.warn({ detail }, REPLACED);
      else if (wasWelcomed) log.warn({ detail }, REFUSED);
      else sendAway(detail);
    },
  });
  const stop = (): Promise<void> => {
    isStopping = true;
    return simulation.stop();
  };
  stopOnSignal(stop, log);
  // The hub has refused this bridge at its first attempt: its token is wrong.
  const detail = await sentAway;
  await stop();
  throw new CliError(`the hub at ${url} refused this bridge: ${reasonOf(detail)}`);
};

export const addBridgeCommands = (bridge: Command): void => {
  bridge
    .command('simulate')
    .description('run a simulated game server')
    .requiredOption('--url <url>', 'such as ws://127.0.0.1:8080/bridge', socketAddress)
    .option('--token <token>', 'the bridge token; better: the variable CAUSEWAY_TOKEN')
    .option('--players <n>', 'number of players in a new world', wholeNumber(1, MAX_PLAYERS), 200)
    .option('--world <file>', 'keep the world in this file; default: in memory')
    .option('--seed <n>', 'seed of a new world', wholeNumber(0, 2 ** 31), 1)
    .option(
      '--life-every <ms>',
      'time between two steps of the simulation; 0: nothing changes',
      wholeNumber(0, 3_600_000),
      1000,
    )
    .action(run);
  addVerifyCommand(bridge);
};
