import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
/** Whether its programs are in the path, as `.ci/postgres` has them. */
export const hasPostgres = (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, 'pg_ctl')));
/** It refuses to run as root. */
const asOwner = (program: string, ...args: string[]) =>
  process.getuid?.() === 0 ? run('runuser', ['-u', 'postgres', '--', program, ...args]) : run(program, args);

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-postgres-'));
  if (process.getuid?.() === 0) await run('chown', ['postgres', folder]);
  await chmod(folder, 0o700);
  return folder;
};

/** A PostgreSQL server for one test that breaks or restarts it. */
export const startPostgres = async () => {
  const folder = await newFolder();
  const data = join(folder, 'data');
  const how = ['--username=test', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
  await asOwner('initdb', `--pgdata=${data}`, ...how);
  const port = await freePort();
  const options = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=${folder}`;
  const control = (...args: string[]) => asOwner('pg_ctl', `--pgdata=${data}`, '--wait', ...args);
  const start = () => control(`--log=${join(folder, 'log')}`, `--options=${options}`, 'start');
  await start();
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    start,
    stop: (mode: 'fast' | 'immediate') => control(`--mode=${mode}`, 'stop'),
    dispose: async () => {
      await control('--mode=immediate', 'stop').catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
