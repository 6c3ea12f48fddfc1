import { join } from 'node:path';
import { createVictim } from '../testkit/processes.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Debian's interpreters that the Lua bridge runs under. */
export const INTERPRETERS = ['lua5.1', 'lua5.4', 'luajit'] as const;
export type Interpreter = (typeof INTERPRETERS)[number];

/** Finds the library in the checkout, and Debian's modules. */
export const LUA_PATH = `${ROOT}/bridge-lua/?.lua;${ROOT}/bridge-lua/?/init.lua;;`;
export const LEDGER = 'bridge-lua/examples/ledger.lua';

type LuaOptions = { env?: Record<string, string>; args?: readonly string[]; hear?: (line: string) => void };

/** A Lua program in a process of its own; `strace` may stand before the interpreter. */
export const createLua = (lua: Interpreter, program: string, { env = {}, args = [], hear }: LuaOptions = {}) => {
  const [first = lua, ...words] = [...args, lua, program];
  return createVictim(words, { LUA_PATH, ...env }, { program: first, ...(hear && { hear }) });
};
