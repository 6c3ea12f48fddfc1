import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { leaveNothing } from '../../tests/kit/processes.ts';

const root = join(import.meta.dirname, '../..');
/** Starts Node.js with these arguments; its output is appended to a file. */
export const openProcess = (args: readonly string[], { logFile, env = {} }: { logFile: string; env?: object }) => {
  const log = openSync(logFile, 'a');
  const child = leaveNothing(
    spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', log, log, 'ipc'] }),
  );
  const ended = once(child, 'exit');
  return {
    child,
    pause: (): boolean => child.kill('SIGSTOP'),
    kill: async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
    },
    ended: (): Promise<unknown> => ended,
  };
};

/** A program of this folder that takes orders and reports events. */
export const openActor = <Order extends object, Event extends object>(
  script: string,
  { args = [], logFile }: { args?: readonly string[]; logFile: string },
) => {
  const actor = openProcess([join('bench/promises', script), ...args], { logFile });
  const events: Event[] = [];
  const watchers = new Set<() => void>();
  actor.child.on('message', (event: Event) => {
    events.push(event);
    for (const watcher of [...watchers]) watcher();
  });
  return {
    pid: actor.child.pid,
    pause: actor.pause,
    kill: actor.kill,
    order: (order: Order): void => void actor.child.send(order),
    /** Ignores all earlier events from now on. */
    forget: (): void => void events.splice(0),
    /** All events so far. */
    heard: (): readonly Event[] => events,
    /** The first matching event, reported already or later. @throws Error when none comes in time */
    told: <E extends Event>(isIt: (event: Event) => event is E, what: string, withinMs = 60_000): Promise<E> =>
      new Promise((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(timer);
          watchers.delete(look);
        };
        const timer = setTimeout(() => {
          stop();
          reject(new Error(`${script}: ${what} was not told within ${withinMs} ms; see ${logFile}`));
        }, withinMs);
        const look = (): void => {
          const found = events.find(isIt);
          if (found === undefined) return;
          stop();
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
  };
};
