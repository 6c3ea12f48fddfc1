import { type Command, InvalidArgumentError } from 'commander';
import { CLOSE_CODES } from '../../bridge-protocol/wire/close-codes.ts';
import { IDENTIFIER_PATTERN } from '../../bridge-protocol/wire/limits.ts';
import type { Rule } from '../../conformance/judges/rules.ts';
import type { Progress } from '../../conformance/runner.ts';
import type { Cast } from '../../conformance/stage/purse.ts';
import { sentFields } from '../platform/fields.ts';
import { createLogger } from '../platform/log.ts';
import { jsonOption, newVerb, socketAddress, wholeNumber } from './options.ts';
import { CliError, print, printJson } from './output.ts';
import { stopOnSignal } from './start.ts';

const MAX_PLAYERS = 100_000;

/** The process goes on: a supervisor would restart it, and it would take over from the other bridge. */
const REPLACED = 'another bridge with this token has taken over; this one stays idle until you stop it';

/** A server that is disabled may be enabled again. */
const REFUSED =
  'the hub refuses this bridge: enable its server, or start it again with the new token; it tries again every ten minutes';

/** The reason in the hub's refusal, or else the whole detail without the time of the next attempt. */
const reasonOf = (detail: string): string =>
  /"detail":"([^"]+)"/.exec(detail)?.[1] ?? detail.replace(/; looks again in \d+ ms$/, '');

const runSimulation = async ({
  url,
  token,
  world,
  lifeEvery,
  ...size
}: {
  url: string;
  token?: string;
  players: number;
  world?: string;
  seed: number;
  lifeEvery: number;
}): Promise<void> => {
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
    ...size,
    lifeEveryMs: lifeEvery,
    ...sentFields({ worldFile: world }),
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

const MAX_PORT = 65_535;
const STOPPED = 130;

type VerifyOptions = {
  listen: number;
  host: string;
  token?: string;
  target?: string;
  account?: string;
  other?: string;
  kick?: string;
  item?: string;
  custom?: Cast['custom'];
  run?: string;
  only?: string;
  slow?: boolean;
  json?: boolean;
};

const identifier = (text: string): string => {
  if (!IDENTIFIER_PATTERN.test(text))
    throw new InvalidArgumentError('Use the identifier of a player, such as char1:5f3a9c.');
  return text;
};

const SHOWN = { pass: 'pass', fail: 'FAIL', 'not tried': 'skip' };

const progressLine = (progress: Progress): string => {
  if (progress.event === 'note') return `      ${progress.text}`;
  const { outcome, name, rules, text } = progress;
  return `${SHOWN[outcome]}  ${name} (${rules.join(', ')})${text === '' ? '' : `: ${text}`}`;
};

const CUSTOM = /^(?:custom:)?([a-z][a-z0-9_-]{0,47})\s+(\{.*\})$/s;

/** `revive {"target":"char1:ana"}` */
const customCommand = (text: string): NonNullable<Cast['custom']> => {
  const [, name = '', json = ''] = CUSTOM.exec(text.trim()) ?? [];
  try {
    return { name, params: JSON.parse(json) };
  } catch {
    throw new InvalidArgumentError(
      'Use the name of a custom command and its parameters: revive {"target":"char1:5f3a9c"}.',
    );
  }
};

const castOf = ({ target, other, kick, item, custom }: VerifyOptions): Partial<Cast> => {
  const named = [target, other, kick].filter((player) => player !== undefined);
  if (new Set(named).size < named.length)
    throw new CliError('--target, --other and --kick must be different players', 2);
  return sentFields({ target, other, kick, item, custom });
};

const rulesOf = async (only: string): Promise<Rule[]> => {
  const { isRule, RULES } = await import('../../conformance/judges/rules.ts');
  return only.split(',').map((name) => {
    const rule = name.trim();
    const last = Object.keys(RULES).at(-1);
    if (!isRule(rule)) throw new CliError(`--only: there is no rule "${rule}"; use some of R1 to ${last}`, 2);
    return rule;
  });
};

/** Ends the child process together with verify. */
const launcherOf = async (commandLine: string) => {
  const { launchChild } = await import('../../conformance/stage/launcher.ts');
  const child = launchChild(commandLine, { env: process.env });
  process.once('exit', child.killNow);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(STOPPED));
  return child;
};

const runChecks = async (options: VerifyOptions): Promise<void> => {
  const { listen, host, account, run: commandLine, slow, only, json } = options;
  const token = (options.token ?? process.env['CAUSEWAY_TOKEN']) || undefined;
  const cast = castOf(options);
  const rules = only === undefined ? undefined : await rulesOf(only);
  const { verify } = await import('../../conformance/verify.ts');
  const { reportLines } = await import('../../conformance/report.ts');
  const say = (line: string): void => {
    if (json === true) process.stderr.write(`${line}\n`);
    else print(line);
  };
  const launcher = commandLine === undefined ? undefined : await launcherOf(commandLine);
  const report = await verify({
    port: listen,
    host,
    cast,
    isSlow: slow === true,
    ...sentFields({ token, account, only: rules, launcher }),
    onListening: ({ url }) => {
      const secret = token === undefined ? 'any token' : 'its token';
      say(launcher === undefined ? `Point your bridge at ${url} with ${secret}.` : `Your bridge runs at ${url}.`);
    },
    onProgress: (progress) => say(progressLine(progress)),
  });
  if (json === true) printJson(report);
  else for (const line of ['', ...reportLines(report)]) print(line);
  process.exitCode = report.failed === 0 ? 0 : 1;
};

const addVerifyCommand = (bridge: Command): void => {
  newVerb(bridge, 'verify', 'act as the hub for a bridge, and check that the bridge obeys the protocol')
    .requiredOption(
      '--listen <port>',
      'port for the bridge to connect to; 0 takes a free one',
      wholeNumber(0, MAX_PORT),
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--token <token>',
      'the token it must send; also the variable CAUSEWAY_TOKEN; without one every token will do',
    )
    .option('--target <identifier>', 'player that commands act on; default: the first one online', identifier)
    .option('--account <name>', 'account of that balance; default: bank')
    .option(
      '--other <identifier>',
      'second player, for the order of commands; default: the next one online',
      identifier,
    )
    .option('--kick <identifier>', 'kick this player; default: no kick', identifier)
    .option('--item <name>', "give and take this item; default: one of the bridge's catalogue")
    .option(
      '--custom <name and JSON>',
      'run this custom command about 60 times; choose one that is in no transaction with the journal',
      customCommand,
    )
    .option(
      '--run <command line>',
      'start the bridge with this, kill it and start it again; it gets $CAUSEWAY_URL and $CAUSEWAY_TOKEN',
    )
    .option('--only <rules>', 'check only these rules, such as R24,R25')
    .option('--slow', 'include slow checks (minutes)')
    .addOption(jsonOption())
    .action(runChecks);
};

export const addBridgeCommands = (bridge: Command): void => {
  newVerb(bridge, 'simulate', 'run a simulated game server')
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
    .action(runSimulation);
  addVerifyCommand(bridge);
};
