import { hostname } from 'node:os';
import type { Command } from 'commander';
import { newSetupLink } from '../admin/setup.ts';
import type { Hub } from '../hub.ts';
import { type Config, readConfig } from '../platform/config.ts';
import type { Tuning } from '../platform/tuning.ts';
import { VERSION } from '../platform/version.ts';
import { withDatabase } from './database.ts';
import { assertOpenFiles } from './open-files.ts';
import { print } from './output.ts';
import { preparePanel } from './panel.ts';
import { stopOnSignal } from './signals.ts';

/** An address that a browser on this machine can open. */
const reachable = (address: string): string => address.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//127.0.0.1:');

/** What to do next. Only a terminal gets the link to the setup: elsewhere, standard output is a log. */
const lastLineOf = async ({ store }: Hub, { PUBLIC_URL }: Config, at: string): Promise<string> => {
  const [project] = await store.projects.list();
  if (project !== undefined) {
    const make = `causeway key create --project ${project.slug} --name "my key"`;
    return `Open ${at} and sign in with your API key. To make one: ${make}`;
  }
  if (!process.stdout.isTTY) return 'The hub is empty. For the address of its setup, run: causeway setup-link';
  const link = await newSetupLink(store, PUBLIC_URL ?? at);
  return `Set the hub up within 15 minutes, in one browser: ${link}`;
};

/** Runs the hub until a signal stops it, and resolves with its address when it listens. */
export const start = async (tuning: Partial<Tuning> = {}): Promise<string> => {
  const config = readConfig(process.env);
  assertOpenFiles();
  await preparePanel((message) => process.stderr.write(`${message}\n`));
  const { runHub } = await import('./run-hub.ts');
  const { lockForHub } = await import('../../db/sqlite/lock.ts');
  let lock: ReturnType<typeof lockForHub>;
  const claim = (): void => {
    const configured = `http://${config.HOST}:${config.PORT}`;
    lock = lockForHub(config.DATABASE_URL, { pid: process.pid, host: hostname(), address: configured });
  };
  const { hub, log, address } = await runHub(config, { claim, tuning });
  const lastLine = await lastLineOf(hub, config, config.PUBLIC_URL ?? reachable(address));
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

export const addHubCommands = (program: Command): void => {
  program
    .command('start')
    .description('run the hub')
    .action(async () => void (await start()));
  program.command('migrate').description('bring the database up to date').action(migrate);
};
