import { existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { pathOf } from '../../db/sqlite/file.ts';
import type { Hub } from '../hub.ts';
import { readConfig } from '../platform/config.ts';
import { VERSION } from '../platform/version.ts';
import { withDatabase } from './database.ts';
import { assertOpenFiles } from './open-files.ts';
import { CliError, print } from './output.ts';
import { preparePanel } from './panel.ts';
import { provisionFirst } from './provision.ts';
import { stopOnSignal } from './signals.ts';

const PROGRESS_EVERY_MS = 1_000;

const start = async (): Promise<void> => {
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
  const prepare = async ({ store }: Hub): Promise<void> => {
    const [project] = await store.projects.list();
    if (project !== undefined) {
      if (await store.apiKeys.hasUsed()) return;
      print('No API key of this database has been used yet. If you have none, make one:');
      print(`  causeway key create --project ${project.slug} --name "first key"`);
      return;
    }
    const first = await provisionFirst(store);
    if (first === undefined) return;
    print('A new database: project "default", server "main". These two are shown once:');
    print(`  API key       ${first.key}`);
    print(`  bridge token  ${first.token}`);
  };
  const { hub, log, address } = await runHub(config, { claim, prepare });
  // First: who reads that it listens may stop it at once.
  stopOnSignal(() => hub.stop().finally(() => lock?.release()), log);
  log.info({ address, version: VERSION, node: config.NODE_NAME }, 'hub listens');
};

const migrate = (): Promise<void> =>
  withDatabase(async (database) => {
    const count = await database.pending();
    await database.migrate();
    if (count === 0) print('The database is up to date.');
    else print(`${count} ${count === 1 ? 'migration' : 'migrations'} applied.`);
  });

const backup = async (file: string): Promise<void> => {
  const { DATABASE_URL } = readConfig(process.env);
  const source = DATABASE_URL.startsWith('file:') ? pathOf(DATABASE_URL) : undefined;
  if (source !== undefined && !existsSync(source)) throw new CliError(`there is no database ${source}`);
  const folder = dirname(resolve(file));
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) throw new CliError(`the folder ${folder} does not exist`);
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  let toldAt = performance.now();
  const onProgress = (copied: number, all: number): void => {
    if (performance.now() - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = performance.now();
    print(`${Math.floor((100 * copied) / all)} % copied.`);
  };
  await withDatabase(async (database) => {
    await database.backup(file, { signal: stop.signal, onProgress });
    print(`Backed up to ${file}.`);
  });
};

export const addHubCommands = (program: Command): void => {
  program.command('start').description('run the hub').action(start);
  program.command('migrate').description('bring the database up to date').action(migrate);
  program
    .command('backup')
    .argument('<file>', 'where to write the copy; it must not exist')
    .description('online copy of the SQLite database')
    .action(backup);
};
