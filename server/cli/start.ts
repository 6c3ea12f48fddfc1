import { accessSync, constants, statSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { newSetupLink } from '../admin/projects.ts';
import type { Hub } from '../hub.ts';
import { type Config, ConfigError, readConfig } from '../platform/config.ts';
import type { Tuning } from '../platform/tuning.ts';
import { VERSION } from '../platform/version.ts';
import { commandName } from './command-name.ts';
import { isInContainer } from './container.ts';
import { withDatabase } from './database.ts';
import { assertOpenFiles } from './open-files.ts';
import { print } from './output.ts';
import { preparePanel } from './panel.ts';
import { releaseMemory } from './release-memory.ts';
import { stopOnSignal } from './signals.ts';

/** An address that a browser on this machine can open. */
const reachable = (address: string): string => address.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//127.0.0.1:');

/** Standard output is a log, except on a terminal outside of a container. */
const isLog = (): boolean => !process.stdout.isTTY || isInContainer(process.env);

type StartOptions = { tuning?: Partial<Tuning>; setupLink?: boolean };

/** Prints the next step. A log gets the link to the setup only on request. */
const lastLineOf = async (
  { store }: Hub,
  { PUBLIC_URL }: Config,
  { at, setupLink }: { at: string; setupLink: boolean },
): Promise<string> => {
  const [project] = await store.projects.list();
  const isMade = project !== undefined && (await store.setupLinks.isMade());
  if (project !== undefined && !isMade) {
    const make = `${commandName()} key create --project ${project.slug} --name "my key"`;
    return `Open ${at} and sign in with your API key. To make one: ${make}`;
  }
  const state = isMade ? 'The key of the hub was never used.' : 'The hub is empty.';
  if (!setupLink && isLog()) return `${state} For the address of its setup, run: ${commandName()} setup-link`;
  const link = await newSetupLink(store, PUBLIC_URL ?? at);
  return `Set the hub up within 15 minutes, in one browser: ${link}`;
};

/** Backups that never start are noticed when one is needed. @throws ConfigError */
const assertBackupFolder = ({ BACKUP_FOLDER: folder }: Config): void => {
  if (folder === undefined) return;
  const remedy = 'create it, let this user write into it, or change the variable';
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ConfigError(`BACKUP_FOLDER: ${folder} is not an existing folder; ${remedy}.`);
  }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new ConfigError(`BACKUP_FOLDER: ${folder} cannot be written; ${remedy}.`);
  }
};

/** Runs the hub until a signal stops it, and resolves with its address when it listens. */
export const start = async ({ tuning = {}, setupLink = false }: StartOptions = {}): Promise<string> => {
  const config = readConfig(process.env);
  assertBackupFolder(config);
  assertOpenFiles();
  await preparePanel((message) => process.stderr.write(`${message}\n`));
  const { runHub } = await import('./run-hub.ts');
  const { lockForHub } = await import('../../db/sqlite/lock.ts');
  let lock: ReturnType<typeof lockForHub>;
  const claim = (): void => {
    const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
    const configured = `http://${host}:${config.PORT}`;
    lock = lockForHub(config.DATABASE_URL, { pid: process.pid, host: hostname(), address: configured });
  };
  const { hub, log, address } = await runHub(config, { claim, tuning, prepare: async () => releaseMemory() });
  const lastLine = await lastLineOf(hub, config, { at: config.PUBLIC_URL ?? reachable(address), setupLink });
  // Before the log line: a reader of that line may stop the hub at once.
  stopOnSignal(() => hub.stop().finally(() => lock?.release()), log);
  log.info({ address, version: VERSION, node: config.NODE_NAME }, 'hub listens');
  log.flush(() => print(lastLine));
  return address;
};

const migrate = (): Promise<void> =>
  withDatabase(async (database) => {
    const count = await database.pending();
    await database.migrate();
    if (count === 0) print('The database is up to date.');
    else print(`${count} ${count === 1 ? 'migration' : 'migrations'} applied.`);
  });

export const defineStart = (command: Command): Command =>
  command
    .option('--setup-link', 'also print the link of an empty hub where standard output is a log')
    .action(async ({ setupLink }: { setupLink?: boolean }) => void (await start({ setupLink: setupLink === true })));

export const defineMigrate = (command: Command): Command => command.action(migrate);
