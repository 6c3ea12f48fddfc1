import { Command, CommanderError } from 'commander';
import { VERSION } from '../platform/config.ts';
import { CliError, commandName, printable } from './output.ts';

/** The commands of the first level. Only the module of the wanted one is loaded: it adds the options and verbs. */
const COMMANDS: Record<string, [about: string, load: () => Promise<(command: Command) => unknown>]> = {
  start: ['run the hub', async () => (await import('./start.ts')).defineStart],
  migrate: ['bring the database up to date', async () => (await import('./database.ts')).defineMigrate],
  'setup-link': [
    'print an address to set up an empty hub; it works once, for 15 minutes',
    async () => (await import('./projects.ts')).defineSetupLink,
  ],
  init: [
    'set up an empty hub without a browser; prints the key and the bridge token, once',
    async () => (await import('./projects.ts')).defineInit,
  ],
  backup: ['copy the SQLite database while the hub runs', async () => (await import('./database.ts')).defineBackup],
  restore: [
    'replace the SQLite database by a backup, while no hub runs',
    async () => (await import('./database.ts')).defineRestore,
  ],
  restored: [
    'after pg_restore, before a hub starts: let bridges be asked about open commands',
    async () => (await import('./database.ts')).defineRestored,
  ],
  copy: [
    'copy an SQLite database to PostgreSQL and compare both',
    async () => (await import('./database.ts')).defineCopy,
  ],
  demo: [
    'the hub with a simulated game server of 200 players, ready to click and curl',
    async () => (await import('./start.ts')).defineDemo,
  ],
  doctor: ['check this installation, and say what to do', async () => (await import('./doctor.ts')).defineDoctor],
  project: [
    'communities: each has its keys, servers, players and request limit',
    async () => (await import('./projects.ts')).addProjectCommands,
  ],
  key: ['API keys', async () => (await import('./keys.ts')).addKeyCommands],
  server: ['game servers and their bridge tokens', async () => (await import('./servers.ts')).addServerCommands],
  command: ['the journal of commands', async () => (await import('./commands.ts')).addCommandCommands],
  batch: ['batches: one command for many players', async () => (await import('./batches.ts')).addBatchCommands],
  schedule: ['commands that run at a time', async () => (await import('./schedules.ts')).addScheduleCommands],
  webhook: ['what happens, sent to others', async () => (await import('./webhooks.ts')).addWebhookCommands],
  bridge: ['bridge tools: simulate and verify', async () => (await import('./bridge.ts')).addBridgeCommands],
};

/** The program; of the commands, those that are `wanted` (default: all) have their options and verbs. */
export const createProgram = async (wanted = Object.keys(COMMANDS)): Promise<Command> => {
  const program = new Command(commandName()).description('The command hub for roleplay game servers.').version(VERSION);
  for (const [name, [about, load]] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(about);
    if (wanted.includes(name)) (await load())(command);
  }
  const withoutExit = (command: Command): void => {
    // Errors are one line, and `fail` writes it.
    command.exitOverride().configureOutput({ writeErr: () => undefined, outputError: () => undefined });
    for (const child of command.commands) withoutExit(child);
  };
  withoutExit(program);
  return program;
};

const oneLine = (text: string): string => printable(text.trim().replaceAll(/\s*\n\s*/g, ' '));

/** A refusal of a field names it as REST does, `/maxAmount: …`; here it is the flag `--max-amount`. */
const withFlag = (message: string): string =>
  message.replace(
    /^\/(\w+): /,
    (_, field: string) => `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: `,
  );

/** The noun of `causeway <noun>` without a verb, after a space; empty: there is none. */
const nounOf = (program: Command, argv: readonly string[]): string =>
  program.commands.some((command) => command.name() === argv[0]) ? ` ${argv[0]}` : '';

/** A closed pipe (`… | head`) is not an error. */
const endWithReader = (error: Error & { code?: string }): void => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
};

/** Runs one command line. Its exit code: 0 done, 1 failed, 2 wrong usage; a failure has one line for stderr. */
export const perform = async (argv: readonly string[]): Promise<{ code: 0 | 1 | 2; complaint: string }> => {
  const failed = (message: string, code: 1 | 2) => ({ code, complaint: `causeway: ${oneLine(message)}\n` });
  const done = { code: 0, complaint: '' } as const;
  const [first = '', second = ''] = argv;
  const program = await createProgram([first === 'help' ? second : first]);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return done;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return done;
      const isBare = error.code === 'commander.help';
      const hint = `a command is missing; see: ${commandName()}${nounOf(program, argv)} --help`;
      return failed(isBare ? hint : error.message.replace(/^error: /, ''), 2);
    }
    if (error instanceof CliError) return failed(error.message, error.exitCode);
    return failed(error instanceof Error ? withFlag(error.message) : String(error), 1);
  }
};

/** The command line of this process. */
export const main = async (argv: readonly string[]): Promise<void> => {
  process.stdout.on('error', endWithReader);
  const { code, complaint } = await perform(argv);
  if (code === 0) return;
  process.stderr.write(complaint);
  process.exit(code);
};
