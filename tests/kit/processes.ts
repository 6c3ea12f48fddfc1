import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
/** On a busy machine, a process may get only idle time. */
const ANSWER_WITHIN_MS = 120_000;
/** Shorter than a test, so that it is the process that is named. */
const END_WITHIN_MS = 50_000;

const running = new Set<ChildProcess>();
/** It is killed when this process ends. */
export const leaveNothing = (child: ChildProcess): ChildProcess => {
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
};
// An interrupted run leaves no process behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

type VictimOptions = {
  /** Is told each line that the process writes. */
  hear?: (line: string) => void;
  /** Another program than Node.js; it takes no messages. */
  program?: string | undefined;
};

/** A process that is started, killed, stopped and started again. */
export const createVictim = (
  args: readonly string[],
  env: Record<string, string>,
  { hear = () => undefined, program }: VictimOptions = {},
) => {
  let child: ChildProcess | undefined;
  let said = '';

  const start = (): void => {
    if (child !== undefined) return;
    said = '';
    const started = spawn(program ?? process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(program === undefined ? (['ipc'] as const) : [])],
    });
    child = leaveNothing(started);
    for (const stream of [started.stdout, started.stderr]) {
      let begun = '';
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-200_000);
        const lines = (begun + text).split('\n');
        begun = lines.pop() ?? '';
        for (const line of lines) hear(line);
      });
    }
    started.on('exit', () => {
      if (child === started) child = undefined;
    });
  };

  const signal = (name: NodeJS.Signals): void => {
    child?.kill(name);
  };

  return {
    start,
    isRunning: (): boolean => child !== undefined,
    pid: (): number | undefined => child?.pid,
    /** The end of its output since its start. */
    said: (): string => said,
    /** Sends a question and resolves with the answer. */
    ask: async (question: number): Promise<unknown> => {
      if (child === undefined) throw new Error('the process is not running');
      const answered = once(child, 'message', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      child.send(question);
      try {
        const [answer] = await answered;
        return answer;
      } catch (error) {
        throw new Error(`the process gave no answer within ${ANSWER_WITHIN_MS} ms; it said: ${said}`, { cause: error });
      }
    },
    /** Sends a message without an answer. */
    tell: (wish: string): void => {
      if (child?.connected === true) child.send(wish, () => {});
    },
    pause: (): void => signal('SIGSTOP'),
    resume: (): void => signal('SIGCONT'),
    /** The exit code of one that ends by itself. */
    ended: async (): Promise<number | null> => {
      const ending = child;
      if (ending === undefined) return null;
      await once(ending, 'exit');
      return ending.exitCode;
    },
    /** Ends it, and waits for that. @throws Error when it does not end */
    kill: async (how: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
      const dying = child;
      if (dying === undefined) return;
      child = undefined;
      const exited = once(dying, 'exit', { signal: AbortSignal.timeout(END_WITHIN_MS) });
      // One that is paused takes no other signal.
      if (how !== 'SIGKILL') dying.kill('SIGCONT');
      dying.kill(how);
      try {
        await exited;
      } catch (error) {
        dying.kill('SIGKILL');
        throw new Error(`the process did not end within ${END_WITHIN_MS} ms of ${how}; it said: ${said}`, {
          cause: error,
        });
      }
    },
    /** Files may grow to this size and no further: every write beyond fails, as on a full or read-only disk. */
    limitFiles: async (bytes: number | 'unlimited'): Promise<void> => {
      if (child?.pid === undefined) return;
      // The process may be gone by now, and its limit with it.
      await run('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:`]).catch(() => undefined);
    },
  };
};
export type Victim = ReturnType<typeof createVictim>;
