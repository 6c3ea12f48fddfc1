import type { Command } from 'commander';
import { openDatabase } from '../../db/database.ts';
import { readConfig } from '../config.ts';
import { VERSION } from '../version.ts';
import { CliError, print } from './output.ts';
import { provisionFirst } from './provision.ts';
import { runHub, stopOnSignal } from './run-hub.ts';

const start = async (): Promise<void> => {
  const config = readConfig(process.env);
  const { hub, log, address } = await runHub(config, async ({ store }) => {
    if ((await store.projects.list()).length > 0) return;
    const first = await provisionFirst(store);
    if (first === undefined) return;
    print('A new database: project "default", server "main". These two are shown once:');
    print(`  API key       ${first.key}`);
    print(`  bridge token  ${first.token}`);
  });
  log.info({ address, version: VERSION, node: config.NODE_NAME }, 'hub listens');
  stopOnSignal(hub.stop, log);
};

const migrate = async (): Promise<void> => {
  const database = await openDatabase({ url: readConfig(process.env).DATABASE_URL });
  try {
    const count = await database.pending();
    await database.migrate();
    print(count === 0 ? 'The database is up to date.' : `${count} migrations applied.`);
  } finally {
    await database.close();
  }
};

const backup = async (file: string): Promise<void> => {
  const database = await openDatabase({ url: readConfig(process.env).DATABASE_URL });
  try {
    if (database.engine !== 'sqlite') throw new CliError('backup is for SQLite; use pg_dump for PostgreSQL');
    await database.backup(file);
    print(`Backed up to ${file}.`);
  } finally {
    await database.close();
  }
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
