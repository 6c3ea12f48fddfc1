import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { scriptsOf } from '../../tests/fxserver/game.ts';

const BRIDGE = join(import.meta.dirname, '../../bridge');
const CHUNK = 1 << 20;
const LINE_END = 10;

/** Lua's garbage collection: as the host program of an embedded Lua (such as FXServer) gets it, or the other mode. */
export type GarbageMode = 'incremental' | 'generational';
type Order = { do: 'call'; id: number; args: unknown[] } | { do: 'database' | 'tick' | 'figures' };

/** @throws when native Lua or its modules are not installed */
export const assertLua = (): void => {
  try {
    execFileSync('lua5.4', ['-e', "require('cjson') require('socket')"], { stdio: 'ignore' });
  } catch {
    throw new Error('native Lua is missing; on Debian: apt-get install lua5.4 lua-cjson lua-socket');
  }
};

/** The ends of a pipe for reads and writes; both block until the other side acts. */
const pipe = (path: string): [number, number] => {
  execFileSync('mkfifo', [path]);
  const both = openSync(path, 'r+');
  const ends: [number, number] = [openSync(path, 'r'), openSync(path, 'w')];
  closeSync(both);
  return ends;
};

/**
 * The Lua half of the shipped resource, in a process of native Lua. This thread blocks while Lua runs, so that both
 * behave as one thread, as in a game server.
 */
export const startLua = (folder: string, framework: string, mode: GarbageMode) => {
  const [orderEnd, out] = pipe(join(folder, 'orders'));
  const [input, answerEnd] = pipe(join(folder, 'answers'));
  const manifest = readFileSync(join(BRIDGE, 'fxmanifest.lua'), 'utf8');
  const scripts = scriptsOf(manifest).filter((file) => file.endsWith('.lua'));
  const lua = spawn(
    'lua5.4',
    [
      ...[join(import.meta.dirname, 'main.lua'), import.meta.dirname, folder, framework, mode],
      ...scripts.map((file) => join(BRIDGE, file)),
    ],
    { stdio: [orderEnd, answerEnd, 'inherit'] },
  );
  closeSync(orderEnd);
  closeSync(answerEnd);
  let buffer = Buffer.alloc(CHUNK);
  let cpuUs = 0;

  const line = (): string => {
    for (let end = 0; ; ) {
      if (end === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(CHUNK)]);
      const bytes = readSync(input, buffer, end, buffer.length - end, null);
      if (bytes === 0) throw new Error('native Lua has ended');
      end += bytes;
      if (buffer[end - 1] === LINE_END && buffer.indexOf(LINE_END) < end - 1)
        return buffer.toString('utf8', 0, end - 1);
    }
  };

  return {
    pid: lua.pid,
    ask: <T>(order: Order): T => {
      writeSync(out, `${JSON.stringify(order)}\n`);
      const answer = line();
      const at = answer.indexOf('\n');
      cpuUs = Number(answer.slice(0, at));
      return JSON.parse(answer.slice(at + 1)) as T;
    },
    /** CPU time of the Lua process so far. */
    cpuUs: (): number => cpuUs,
    stop: (): void => {
      lua.kill();
      closeSync(out);
      closeSync(input);
    },
  };
};
