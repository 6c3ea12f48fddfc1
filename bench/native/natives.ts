import { createRequire } from 'node:module';
import vm from 'node:vm';
import { bundle } from '../../bridge/bundle.ts';
import { createKvp } from '../../tests/fxserver/kvp.ts';
import type { startLua } from './lua.ts';

type Fn = (...args: unknown[]) => unknown;
type Answered = { answers: Record<string, [number, unknown]>; queries: number };

/**
 * Runs the JavaScript of the shipped resource beside its native Lua. Work for the next turn runs at the next tick, as
 * in a game server; an answer of the database comes in its own turn.
 */
export const createServer = async (lua: ReturnType<typeof startLua>, online: number) => {
  const script = await bundle();
  const waiting = new Map<number, Fn>();
  const kvp = createKvp();
  let immediates: Fn[] = [];
  let calls = 0;
  let isAnswering = false;
  let tickUs = 0;

  const take = ({ answers, queries }: Answered): void => {
    // An empty Lua table is an object.
    for (const [id, reply] of Object.values(answers)) waiting.get(id)?.(reply);
    if (queries === 0 || isAnswering) return;
    isAnswering = true;
    setImmediate(() => {
      isAnswering = false;
      take(lua.ask<Answered>({ do: 'database' }));
    });
  };
  const call = (method: unknown, args: unknown, done: Fn): void => {
    calls += 1;
    const id = calls;
    waiting.set(id, (reply) => {
      if (method !== 'watch') waiting.delete(id);
      done(reply);
    });
    take(lua.ask<Answered>({ do: 'call', id, args: [method, args] }));
  };

  const natives = (convars: Record<string, string>): Record<string, Fn> => ({
    GetCurrentResourceName: () => 'causeway',
    GetInvokingResource: () => null,
    GetConvar: (name, otherwise) => convars[String(name)] ?? otherwise,
    GetConvarInt: (_name, otherwise) => otherwise,
    GetNumPlayerIndices: () => online,
    GetResourceKvpString: (key) => kvp.read(String(key)) ?? null,
    SetResourceKvpNoSync: (key, value) => kvp.write(String(key), String(value)),
    FlushResourceKvp: () => kvp.flush(),
    StartFindKvp: () => 1,
    FindKvp: () => null,
    EndFindKvp: () => undefined,
    on: () => undefined,
    emit: () => undefined,
  });

  return {
    /** The cost of Lua's ticks so far in this process: the pipe, which a game server does not have. */
    tickUs: (): number => tickUs,
    tick: (): void => {
      const before = process.cpuUsage();
      take(lua.ask<Answered>({ do: 'tick' }));
      const { user, system } = process.cpuUsage(before);
      tickUs += user + system;
      const due = immediates;
      immediates = [];
      for (const fn of due) fn();
    },
    /** Runs the script of the resource. Returns how long it held the thread, milliseconds. */
    load: (convars: Record<string, string>): number => {
      // The resource expects this function in the global object.
      Object.assign(globalThis, { exports: Object.assign(() => undefined, { causeway: { adapter: call } }) });
      const own = {
        ...natives(convars),
        require: createRequire(import.meta.url),
        setImmediate: (fn: Fn, ...args: unknown[]) => immediates.push(() => fn(...args)),
      };
      const names = Object.keys(own);
      const startedAt = performance.now();
      vm.compileFunction(script, names, { filename: 'dist/server.js' })(...Object.values(own));
      return performance.now() - startedAt;
    },
  };
};
