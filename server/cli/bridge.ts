import type { Command } from 'commander';
import { simulate } from '../../simulator/simulate.ts';
import { createLogger } from '../logging.ts';
import { wholeNumber } from './options.ts';
import { CliError } from './output.ts';
import { stopOnSignal } from './run-hub.ts';

type Options = {
  url: string;
  token?: string;
  players: number;
  world?: string;
  seed: number;
  lifeEvery: number;
};

const run = ({ url, token, players, world, seed, lifeEvery }: Options): void => {
  const secret = token ?? process.env['CAUSEWAY_TOKEN'];
  if (secret === undefined) throw new CliError('give --token, or set CAUSEWAY_TOKEN', 2);
  if (!/^wss?:\/\//.test(url)) throw new CliError('--url must begin with ws:// or wss://', 2);
  const log = createLogger('info');
  const simulation = simulate({
    url,
    token: secret,
    players,
    seed,
    lifeEveryMs: lifeEvery,
    ...(world === undefined ? {} : { worldFile: world }),
    log: (level, message) => log[level](message),
  });
  stopOnSignal(simulation.stop, log);
};

export const addBridgeCommands = (program: Command): void => {
  const bridge = program.command('bridge').description('the other end of the socket');
  bridge
    .command('simulate')
    .description('a game server without a game')
    .requiredOption('--url <url>', 'such as ws://127.0.0.1:8080/bridge')
    .option('--token <token>', 'the bridge token; better: the variable CAUSEWAY_TOKEN')
    .option('--players <n>', 'how many live in a new world', wholeNumber(1, 1_000_000), 200)
    .option('--world <file>', 'keep the world in this file; default: in memory')
    .option('--seed <n>', 'what a new world is made from', wholeNumber(0, 2 ** 31), 1)
    .option('--life-every <ms>', 'time between two steps of life; 0: nothing moves', wholeNumber(0, 3_600_000), 1000)
    .action(run);
};
