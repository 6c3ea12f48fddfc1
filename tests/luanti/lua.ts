import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createVictim } from '../kit/processes.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Debian's interpreters that the Lua bridge runs under. */
export const INTERPRETERS = ['lua5.1', 'lua5.4', 'luajit'] as const;
export type Interpreter = (typeof INTERPRETERS)[number];

/** Finds the library in the checkout, and Debian's modules. */
export const LUA_PATH = `${ROOT}/bridge-lua/?.lua;${ROOT}/bridge-lua/?/init.lua;;`;
export const LEDGER = 'bridge-lua/examples/ledger.lua';

const run = promisify(execFile);

/** Runs a script of tests/bridge-lua and returns its output. A missing interpreter or an exit code is an error. */
export const runLua = async (lua: string, script: string, args: readonly string[] = []): Promise<string> =>
  (await run(lua, [`tests/bridge-lua/${script}`, ...args], { cwd: ROOT, timeout: 500_000 })).stdout;

type LuaOptions = { env?: Record<string, string>; args?: readonly string[]; hear?: (line: string) => void };

/** A Lua program in a process of its own; `strace` may stand before the interpreter. */
export const createLua = (lua: Interpreter, program: string, { env = {}, args = [], hear }: LuaOptions = {}) => {
  const [first = lua, ...words] = [...args, lua, program];
  return createVictim(words, { LUA_PATH, ...env }, { program: first, ...(hear && { hear }) });
};
