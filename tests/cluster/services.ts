import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const POSTGRES_BIN = '/usr/lib/postgresql/15/bin';
const NATS_SERVERS = ['/usr/sbin/nats-server', '/usr/local/bin/nats-server', '/usr/bin/nats-server'];
const READY_WITHIN_MS = 20_000;

const natsServer = NATS_SERVERS.find((file) => existsSync(file));
const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

/** Whether this machine can run a cluster: Debian's `postgresql` and `nats-server` are installed. */
export const hasServices = natsServer !== undefined && existsSync(join(POSTGRES_BIN, 'initdb'));

export const freePort = async (): Promise<number> => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
};

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });

/** Waits until `holds`; fails after `withinMs`. */
export const until = async (
  holds: () => Promise<boolean> | boolean,
  what: string,
  withinMs = READY_WITHIN_MS,
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** A program that is started, killed, paused and started again, on a port that stays. */
const openService = (isReady: () => Promise<boolean>, launch: () => ChildProcess) => {
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = launch();
    child.on('error', () => undefined);
    await until(isReady, 'a service answers');
  };
  const stop = async (signal: NodeJS.Signals = 'SIGINT'): Promise<void> => {
    const dying = child;
    child = undefined;
    if (dying === undefined || dying.exitCode !== null) return;
    const exited = once(dying, 'exit');
    dying.kill(signal);
    dying.kill('SIGCONT');
    await exited;
  };
  return { start, stop, pause: () => child?.kill('SIGSTOP'), resume: () => child?.kill('SIGCONT') };
};

/** A NATS server of its own on a loopback port. */
export const startNats = async () => {
  const port = await freePort();
  const launch = () => spawn(natsServer ?? '', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const service = openService(() => listens(port), launch);
  await service.start();
  return { ...service, port, url: `nats://127.0.0.1:${port}` };
};

/** A PostgreSQL server of its own on a loopback port, over a folder in the system's temporary one. */
export const startPostgres = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-cluster-'));
  const port = await freePort();
  // PostgreSQL refuses to run as root.
  const user = isRoot
    ? { uid: Number(execFileSync('id', ['-u', 'postgres'])), gid: Number(execFileSync('id', ['-g', 'postgres'])) }
    : {};
  if (isRoot) execFileSync('chown', ['postgres', folder]);
  await chmod(folder, 0o700);
  const data = join(folder, 'data');
  execFileSync(
    join(POSTGRES_BIN, 'initdb'),
    ['-D', data, '-U', 'causeway', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    {
      ...user,
      stdio: 'ignore',
      cwd: folder,
    },
  );
  const options = ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`, '-c', 'fsync=off'];
  const launch = () =>
    spawn(join(POSTGRES_BIN, 'postgres'), ['-D', data, '-p', String(port), ...options], {
      ...user,
      stdio: 'ignore',
      cwd: folder,
    });
  const isReady = (): Promise<boolean> =>
    run(join(POSTGRES_BIN, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    );
  const service = openService(isReady, launch);
  await service.start();
  const url = `postgres://causeway@127.0.0.1:${port}/postgres`;
  return {
    ...service,
    port,
    url,
    dispose: async (): Promise<void> => {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
