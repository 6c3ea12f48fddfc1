import { hostname } from 'node:os';
import type { Command } from 'commander';
import { provisionFirst } from '../admin/projects.ts';
import type { Hub } from '../hub.ts';
import { readConfig } from '../platform/config.ts';
import type { Tuning } from '../platform/tuning.ts';
import { VERSION } from '../platform/version.ts';
import { withDatabase } from './database.ts';
import { assertOpenFiles } from './open-files.ts';
import { print } from './output.ts';
import { preparePanel } from './panel.ts';
import { stopOnSignal } from './signals.ts';

/** An address that a browser on this machine can open. */
const reachable = (address: string): string => address.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//127.0.0.1:');

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
  let signIn = '';
  const prepare = async ({ store }: Hub): Promise<void> => {
    const [project] = await store.projects.list();
    if (project !== undefined) {
      signIn = `your API key. To make one: causeway key create --project ${project.slug} --name "my key"`;
      return;
    }
    const first = await provisionFirst(store);
    if (first === undefined) return;
    signIn = 'the API key above';
    print('A new database: project "default", server "main". These two are shown once:');
    print(`  API key       ${first.key}`);
    print(`  bridge token  ${first.token}`);
  };
  const { hub, log, address } = await runHub(config, { claim, prepare, tuning });
  // Before the log line: a reader of that line may stop the hub at once.
  stopOnSignal(() => hub.stop().finally(() => lock?.release()), log);
  log.info({ address, version: VERSION, node: config.NODE_NAME }, 'hub listens');
  log.flush(() => print(`Open ${config.PUBLIC_URL ?? reachable(address)} and sign in with ${signIn}`));
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
