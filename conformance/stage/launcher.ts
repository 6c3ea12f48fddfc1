import { type ChildProcess, spawn } from 'node:child_process';
import { shown } from '../judges/findings.ts';

/** Starts and ends the bridge; verify ends no other process. */
export type Launcher = {
  /** Starts the bridge, or restarts it after its death. `onEnd` is called when it ends by itself. */
  start(at: { url: string; token: string; onEnd: () => void }): void;
  /** Sends a signal; resolves when the bridge is dead, at the latest after some seconds. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** How the process ended, as text; undefined while it runs. */
  ended(): string | undefined;
  /** The last lines of its output. */
  tail(): string;
};

const TAIL_KEPT = 2_000;
/** How long a process may take to end before it is killed, and how long a killed process may take to disappear. */
const STOPS_WITHIN_MS = 15_000;
const GONE_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 10;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Signals a whole process group; false when the group is empty. */
const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    if (hasCode(error, 'EPERM')) return true;
    return false;
  }
};

const isGone = async (pid: number, withinMs: number): Promise<boolean> => {
  const deadline = performance.now() + withinMs;
  while (signalGroup(pid, 0)) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return true;
};

/**
 * Runs a command line in a shell, in its own process group: a signal reaches all processes that it started, and no
 * others. Its environment contains CAUSEWAY_URL and CAUSEWAY_TOKEN.
 */
export const launchChild = (
  commandLine: string,
  { env }: { env: Readonly<Record<string, string | undefined>> },
): Launcher & { killNow: () => void } => {
  let child: ChildProcess | undefined;
  let tail = '';
  let ending: string | undefined;

  const keep = (text: string): void => {
    tail = (tail + text).slice(-TAIL_KEPT);
  };

  /** The process group of a child that may still be alive. */
  const group = (): number | undefined => child?.pid;

  return {
    start: ({ url, token, onEnd }) => {
      ending = undefined;
      tail = '';
      const started = spawn(commandLine, {
        shell: true,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...env, CAUSEWAY_URL: url, CAUSEWAY_TOKEN: token },
      });
      child = started;
      for (const output of [started.stdout, started.stderr]) output?.setEncoding('utf8').on('data', keep);
      const end = (how: string): void => {
        if (child !== started) return;
        ending ??= how;
        onEnd();
      };
      started.once('error', (error) => end(`it could not be started: ${error.message}`));
      started.once('exit', (code, signal) => end(`the bridge ended with ${signal ?? `exit code ${code}`}`));
    },
    kill: async (signal) => {
      const pid = group();
      if (pid === undefined) return;
      signalGroup(pid, signal);
      if (signal === 'SIGTERM' && !(await isGone(pid, STOPS_WITHIN_MS))) signalGroup(pid, 'SIGKILL');
      await isGone(pid, GONE_WITHIN_MS);
      child = undefined;
    },
    killNow: (): void => {
      const pid = group();
      if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    },
    ended: () => ending,
    tail: () => shown(tail.trim(), TAIL_KEPT),
  };
};
