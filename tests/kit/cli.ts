import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../db/open.ts';
import { createStore } from '../../db/store.ts';
import { provisionFirst } from '../../server/admin/projects.ts';
import { perform } from '../../server/cli/main.ts';

/** The program as its users have it, which takes longer to load; other tests run the same in few files. */
export const SHIPPED = join(import.meta.dirname, '../../server/cli/causeway.js');
/** Timeout of every wait in a test. */
const PATIENCE_MS = 55_000;
/** For suites that start processes: on a busy machine each takes seconds. */
export const SLOW = { timeout: 90_000 };

type Env = Record<string, string>;
export type Ended = { code: number | null; stdout: string; stderr: string };

let lastVerb: Promise<unknown> = Promise.resolve();

/** Runs a verb in this process, whose settings and output it has to itself meanwhile: one verb after the other. */
const runHere = (args: readonly string[], env: Env): Promise<Ended> => {
  const act = async (): Promise<Ended> => {
    const usual = process.env;
    const output = { stdout: '', stderr: '' };
    const spies = (['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        output[name] += String(text);
        return true;
      }),
    );
    process.env = env;
    try {
      const { code, complaint } = await perform(args);
      return { code, stdout: output.stdout, stderr: output.stderr + complaint };
    } finally {
      process.env = usual;
      for (const spy of spies) spy.mockRestore();
    }
  };
  const ended = lastVerb.then(act);
  lastVerb = ended.catch(() => undefined);
  return ended;
};

const collect = (child: ChildProcess) => {
  const output = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  const notify = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      notify();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, ...output });
      notify();
    });
  });
  return { output, watchers, ended };
};

/** A child process, its output and its end. */
const watch = (child: ChildProcess) => {
  const { output, watchers, ended } = collect(child);
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;

  const inTime = async <T>(work: Promise<T>, complaint: string): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const fail = (): void => reject(new Error(`${complaint}; it said:\n${output.stdout}${output.stderr}`));
      timer = setTimeout(fail, PATIENCE_MS);
    });
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  };

  return {
    output,
    pid: child.pid,
    isRunning,
    /** The first match in its stdout, now or later. */
    line: (pattern: RegExp): Promise<RegExpExecArray> => {
      const found = new Promise<RegExpExecArray>((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(output.stdout);
          if (match === null && isRunning()) return;
          watchers.delete(look);
          if (match !== null) resolve(match);
          else reject(new Error(`It ended without ${pattern}:\n${output.stdout}${output.stderr}`));
        };
        watchers.add(look);
        look();
      });
      return inTime(found, `${pattern} did not come`);
    },
    signal: (signal: NodeJS.Signals): boolean => child.kill(signal),
    ended: (): Promise<Ended> => inTime(ended, 'It did not end'),
    /** Sends a signal and waits for the end. */
    stop: (signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> => {
      child.kill(signal);
      return inTime(ended, `It did not end after ${signal}`);
    },
    /** Makes sure that it is gone. */
    remove: async (): Promise<void> => {
      if (isRunning()) child.kill('SIGKILL');
      await ended.catch(() => undefined);
    },
  };
};

/** Fills a new database with project `default` and server `main`. The secrets are empty if it is not new. */
const provisioned = async (url: string): Promise<{ key: string; token: string }> => {
  // An existing file may be on a full disk, or damaged on purpose.
  const size = statSync(url.replace(/^file:/, ''), { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) return { key: '', token: '' };
  const database = await openDatabase({ url });
  try {
    await database.migrate();
    const first = { name: 'Default', server: { id: 'main', name: 'Main server' } };
    const { key = '', token = '' } = (await provisionFirst(createStore(database), first)) ?? {};
    return { key, token };
  } finally {
    await database.close();
  }
};

/** A child that runs a hub, with its address. */
const listening = async (child: ReturnType<typeof watch>) => {
  const [, address = ''] = await child.line(/"address":"([^"]+)".*"hub listens"/);
  return { ...child, address, bridgeUrl: `${address.replace('http', 'ws')}/bridge` };
};

/**
 * A place to run the program in as its users do: a folder of its own, which is the current one, with a database in it.
 * The folder and every process that is still there, by its own id, go at the end: give `onTestFinished` or `afterAll`.
 */
export const openWorkplace = (atEnd: (dispose: () => Promise<void>) => void, program: string = inject('program')) => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-cli-'));
  const file = join(folder, 'hub.db');
  const children: ReturnType<typeof watch>[] = [];
  atEnd(async () => {
    for (const child of children) await child.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const usual = { PATH, NODE_COMPILE_CACHE, TMPDIR: tmpdir(), PORT: '0', DATABASE_URL: `file:${file}` };
  const spawned = (executable: string, args: readonly string[], env: Env) => {
    const child = watch(
      spawn(executable, args, { cwd: folder, env: { ...usual, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    children.push(child);
    return child;
  };
  const start = (args: readonly string[], env: Env = {}) => spawned(process.execPath, [program, ...args], env);
  const verb = (args: readonly string[], env: Env = {}): Promise<Ended> => runHere(args, { ...usual, ...env });

  return {
    folder,
    file,
    start,
    /** Runs a command in a process of its own. */
    run: (args: readonly string[], env: Env = {}): Promise<Ended> => start(args, env).ended(),
    /** Runs a command as `run` does, in the process of the tests: a process takes half a second. */
    verb,
    /** Runs a command that must succeed, and reads the JSON document that it prints. */
    json: async <T>(...args: string[]): Promise<T> => {
      const { code, stdout, stderr } = await verb([...args, '--json']);
      if (code !== 0 || stderr !== '') throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    /** Starts the program in a terminal of its own. */
    startInTerminal: (args: readonly string[], env: Env = {}) => {
      const line = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
      return spawned('script', ['--quiet', '--return', '--command', line, '/dev/null'], env);
    },
    /** Runs one line in a shell, as if it was pasted there. */
    shell: (line: string): Promise<Ended> => spawned('bash', ['-c', line], {}).ended(),
    /** A hub that listens; `key` and `token` are those of the first project, which a new database gets before. */
    startHub: async (env: Env = {}) => {
      const secrets = await provisioned(env['DATABASE_URL'] ?? `file:${file}`);
      return { ...(await listening(start(['start'], env))), ...secrets };
    },
    /** A hub that listens on a database without a project, if it is new. */
    startEmptyHub: (env: Env = {}) => listening(start(['start'], env)),
  };
};
export type Workplace = ReturnType<typeof openWorkplace>;
export type CliHub = Awaited<ReturnType<Workplace['startHub']>>;

type Reply = {
  status: number;
  body: { id?: string; code?: string; command?: { id: string }; [field: string]: unknown };
};

/** Asks a hub over REST. */
export const ask = async (
  hub: { address: string },
  key: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Reply> => {
  const response = await fetch(`${hub.address}/api/v2${path}`, {
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
};

/** A port that another server uses, until the test ends. */
export const takenPort = async (): Promise<number> => {
  const other = createServer();
  onTestFinished(() => void other.close());
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const address = other.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};
