import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../tests/kit/free-port.ts';
import { createVictim, leaveNothing } from '../../tests/kit/processes.ts';
import { until } from '../../tests/kit/until.ts';
import { CHAOS_ENV, CHAOS_HUB } from '../limits.ts';
import { openProxy, type ProxyLine } from '../proxy.ts';

const run = promisify(execFile);
const POSTGRES = '/usr/lib/postgresql';
export const hasPostgres = existsSync(POSTGRES);

/** A service that can be stopped for a moment. */
export type Restartable = { restart: (signal: NodeJS.Signals, forMs: number) => Promise<void> };

type Owner = { uid?: number; gid?: number };

/** PostgreSQL refuses to run as root. */
const ownerOf = async (folder: string): Promise<Owner> => {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (option: string): Promise<number> => Number((await run('id', [option, 'postgres'])).stdout);
  const owner = { uid: await idOf('-u'), gid: await idOf('-g') };
  await chown(folder, owner.uid, owner.gid);
  return owner;
};

/** A process that always runs, except while it is restarted. */
const openService = async (command: string, args: string[], owner: Owner, isReady: () => Promise<boolean>) => {
  let child: ChildProcess;
  const start = (): Promise<void> => {
    child = leaveNothing(spawn(command, args, { ...owner, stdio: 'ignore' }));
    return until(isReady, `${command} is ready`);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  await start();
  let restarted = Promise.resolve();
  const restart = async (signal: NodeJS.Signals, forMs: number): Promise<void> => {
    await end(signal);
    await new Promise((resolve) => setTimeout(resolve, forMs));
    await start();
  };
  return {
    /**
     * Stops the service for this time and starts it again. A service that is stopped already is stopped again
     * afterwards.
     */
    restart: (signal: NodeJS.Signals, forMs: number): Promise<void> => {
      restarted = restarted.then(() => restart(signal, forMs));
      return restarted;
    },
    start,
    end,
    pid: (): number | undefined => child.pid,
  };
};

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** A PostgreSQL server with its own folder. A killed server loses no data here; power cuts are not simulated. */
export const openPostgresServer = async (port: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-postgres-'));
  const version = (await readdir(POSTGRES)).sort((a, b) => Number(a) - Number(b)).at(-1) ?? '';
  const bin = (name: string): string => join(POSTGRES, version, 'bin', name);
  const owner = await ownerOf(folder);
  const data = join(folder, 'postgres');
  const url = `postgres://test@127.0.0.1:${port}/postgres`;
  const made = spawn(bin('initdb'), [`--pgdata=${data}`, '--username=test', '--auth=trust', '--encoding=UTF8', '-N'], {
    ...owner,
    stdio: 'ignore',
  });
  await once(made, 'exit');
  const isReady = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  };
  const options = ['-c', 'listen_addresses=127.0.0.1', '-c', `port=${port}`, '-c', `unix_socket_directories=${folder}`];
  const server = await openService(bin('postgres'), ['-D', data, ...options, '-c', 'fsync=off'], owner, isReady);
  const close = async (): Promise<void> => {
    await server.end('SIGQUIT');
    await rm(folder, { recursive: true, force: true });
  };
  return { ...server, url, close };
};

export const openNatsServer = (port: number, more: readonly string[] = []) => {
  const args = ['--addr', '127.0.0.1', '--port', String(port), ...more];
  return openService('/usr/sbin/nats-server', args, {}, () => isListening(port));
};

/** A port on which no process listens. */
const NOWHERE = 1;

/** The line from a node to a server behind it. */
const openLine = async (port: number) => {
  let isCut = false;
  const proxy = await openProxy(() => (isCut ? NOWHERE : port));
  return {
    port: proxy.port,
    cut: (): void => {
      isCut = true;
      proxy.cutAfter(0);
    },
    mend: (): void => {
      isCut = false;
    },
    close: proxy.close,
  };
};

/** A line of a node's log without the fields that all lines share. */
const inShort = (line: string): string => {
  try {
    const { msg, task, err } = JSON.parse(line) as { msg: string; task?: string; err?: { message?: string } };
    return [msg, task, err?.message].filter((part) => part !== undefined).join('; ');
  } catch {
    return line;
  }
};

/** A node in its own process, with the lines from callers and bridges, and the lines to NATS and PostgreSQL. */
export const openNode = async (
  name: string,
  { databaseUrl, natsPort, hear }: { databaseUrl: string; natsPort: number; hear: (line: string) => void },
) => {
  const port = await freePort();
  const ownUrl = new URL(databaseUrl);
  const bus = await openLine(natsPort);
  const base = await openLine(Number(ownUrl.port));
  ownUrl.port = String(base.port);
  const env = {
    ...CHAOS_ENV,
    NODE_NAME: name,
    DATABASE_URL: ownUrl.href,
    NATS_URL: `nats://127.0.0.1:${bus.port}`,
    PORT: String(port),
  };
  const child = createVictim(CHAOS_HUB, env, { hear: (line) => hear(`${name}: ${inShort(line)}`) });
  const callers = await openProxy(() => port);
  return {
    name,
    port,
    child,
    bus,
    base,
    callers,
    isReady: (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    close: async (): Promise<void> => {
      await child.kill();
      for (const line of [bus, base, callers]) line.close();
    },
  };
};
export type Node = Awaited<ReturnType<typeof openNode>>;

/** Controls several lines as one. */
export const together = (lines: readonly ProxyLine[]): ProxyLine => ({
  setCondition: (next) => {
    for (const line of lines) line.setCondition(next);
  },
  calm: () => {
    for (const line of lines) line.calm();
  },
  cutAfter: (bytes) => {
    for (const line of lines) line.cutAfter(bytes);
  },
  close: () => {
    for (const line of lines) line.close();
  },
});
