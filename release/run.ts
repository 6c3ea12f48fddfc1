import { execFileSync } from 'node:child_process';

type Options = { cwd?: string; env?: Record<string, string> };

/** Runs a program to its end and returns its stdout. @throws with the program's stderr */
export const run = (program: string, args: readonly string[], { cwd, env = {} }: Options = {}): string =>
  execFileSync(program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
