import { Command, CommanderError } from 'commander';
import { ConfigError } from '../platform/config.ts';
import { VERSION } from '../platform/version.ts';
import { addBackupCommands } from './backup.ts';
import { addBridgeCommands } from './bridge.ts';
import { addCommandCommands } from './commands.ts';
import { addCopyCommand } from './copy.ts';
import { addDemoCommand } from './demo.ts';
import { addDoctorCommand } from './doctor.ts';
import { addKeyCommands } from './keys.ts';
import { CliError } from './output.ts';
import { addProjectCommands } from './projects.ts';
import { addServerCommands } from './servers.ts';
import { addSetupCommands } from './setup.ts';
import { addHubCommands } from './start.ts';

const createProgram = (): Command => {
  const program = new Command('causeway').description('The command hub for roleplay game servers.').version(VERSION);
  addHubCommands(program);
  addSetupCommands(program);
  addBackupCommands(program);
  addCopyCommand(program);
  addDemoCommand(program);
  addDoctorCommand(program);
  addProjectCommands(program);
  addKeyCommands(program);
  addServerCommands(program);
  addCommandCommands(program);
  addBridgeCommands(program);
  const withoutExit = (command: Command): void => {
    // Errors are one line, and `fail` writes it.
    command.exitOverride().configureOutput({ writeErr: () => undefined, outputError: () => undefined });
    for (const child of command.commands) withoutExit(child);
  };
  withoutExit(program);
  return program;
};

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, ' ');

const fail = (message: string, exitCode: number): never => {
  process.stderr.write(`causeway: ${oneLine(message)}\n`);
  process.exit(exitCode);
};

/** The noun of `causeway <noun>` without a verb; undefined: there is none. */
const nounOf = (program: Command, argv: readonly string[]): string =>
  program.commands.some((command) => command.name() === argv[0]) ? ` ${argv[0]}` : '';

/** A closed pipe (`… | head`) is not an error. */
const endWithReader = (error: Error & { code?: string }): void => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
};

/** The command line. Exit codes: 0 done, 1 failed, 2 wrong usage; errors are one line on stderr. */
export const main = async (argv: readonly string[]): Promise<void> => {
  process.stdout.on('error', endWithReader);
  const program = createProgram();
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return;
      const isBare = error.code === 'commander.help';
      const hint = `a command is missing; see: causeway${nounOf(program, argv)} --help`;
      fail(isBare ? hint : error.message.replace(/^error: /, ''), 2);
    }
    if (error instanceof CliError) fail(error.message, error.exitCode);
    if (error instanceof ConfigError) fail(error.message, 1);
    fail(error instanceof Error ? error.message : String(error), 1);
  }
};
