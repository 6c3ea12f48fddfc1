import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { VERSION } from '../version.ts';
import { addBridgeCommands } from './bridge.ts';
import { addCommandCommands } from './commands.ts';
import { addDemoCommand } from './demo.ts';
import { addKeyCommands } from './keys.ts';
import { CliError } from './output.ts';
import { addProjectCommands } from './projects.ts';
import { addServerCommands } from './servers.ts';
import { addHubCommands } from './start.ts';

const createProgram = (): Command => {
  const program = new Command('causeway')
    .description('The command hub for roleplay game servers.')
    .version(VERSION)
    .showHelpAfterError(false);
  addHubCommands(program);
  addDemoCommand(program);
  addProjectCommands(program);
  addKeyCommands(program);
  addServerCommands(program);
  addCommandCommands(program);
  addBridgeCommands(program);
  const withoutExit = (command: Command): void => {
    command.exitOverride().configureOutput({ outputError: () => undefined });
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

/** The command line. Exit codes: 0 done, 1 failed, 2 wrong usage; errors are one line on stderr. */
export const main = async (argv: readonly string[]): Promise<void> => {
  try {
    await createProgram().parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return;
      const message = error.code === 'commander.help' ? 'a command is missing; see: causeway --help' : error.message;
      fail(message.replace(/^error: /, ''), 2);
    }
    if (error instanceof CliError) fail(error.message, error.exitCode);
    if (error instanceof ConfigError) fail(error.message, 1);
    if (error instanceof Error && error.name === 'DatabaseError') fail(error.message, 1);
    fail(error instanceof Error ? error.message : String(error), 1);
  }
};
