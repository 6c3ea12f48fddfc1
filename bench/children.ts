import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const ANSWER_WITHIN_MS = 180_000;
const KILL_AFTER_MS = 5_000;

export type Core = 0 | 1;
type Reply = { re: number; value?: unknown; error?: string };

/** A process of the bench on its own core; requests go to it over IPC, one at a time. */
export const startChild = ({
  args,
  env = {},
  core,
}: {
  args: readonly string[];
  env?: Record<string, string>;
  core: Core | undefined;
}) => {
  const node = process.execPath;
  const [file = node, ...before] = core === undefined ? [node] : ['taskset', '-c', String(core), node];
  let said = '';
  const child: ChildProcess = spawn(file, [...before, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.on('data', (text) => {
    said = (said + String(text)).slice(-4_000);
  });
  let asked = 0;

  /** The first message that `fits`; rejects when the process ends before, or at the timeout. */
  const hear = <T>(what: string, fits: (message: T) => boolean): Promise<T> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => fail('took too long'), ANSWER_WITHIN_MS);
      const done = (): void => {
        clearTimeout(timer);
        child.off('message', take).off('exit', fail);
      };
      const take = (message: unknown): void => {
        if (!fits(message as T)) return;
        done();
        resolve(message as T);
      };
      const fail = (why: unknown): void => {
        done();
        reject(new Error(`${args.join(' ')}: ${what}: ${typeof why === 'string' ? why : 'it ended'} ${said}`));
      };
      child.on('message', take).on('exit', fail);
      if (child.exitCode !== null || child.signalCode !== null) fail('has ended');
    });

  return {
    pid: child.pid,
    /** The next message it sends by itself. */
    next: <T>(what: string): Promise<T> => hear<T>(what, () => true),
    ask: async <T>(question: { do: string } & Record<string, unknown>): Promise<T> => {
      asked += 1;
      const re = asked;
      const answered = hear<Reply>(question.do, (reply) => reply.re === re);
      child.send({ re, ...question });
      const { value, error } = await answered;
      if (error !== undefined) throw new Error(error);
      return value as T;
    },
    kill: (signal: NodeJS.Signals): boolean => child.kill(signal),
    stop: async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
      await exited;
      clearTimeout(hard);
    },
  };
};
export type Child = ReturnType<typeof startChild>;

/** The other end of `ask`: answers each request with the result of its handler. */
export const answerQuestions = (handlers: Record<string, (question: never) => unknown>): void => {
  process.on('message', async (question: { re: number; do: string }) => {
    const handler = handlers[question.do];
    if (handler === undefined) return;
    try {
      process.send?.({ re: question.re, value: await handler(question as never) });
    } catch (error) {
      process.send?.({ re: question.re, error: error instanceof Error ? (error.stack ?? error.message) : 'failed' });
    }
  });
  process.on('disconnect', () => process.exit(0));
};
