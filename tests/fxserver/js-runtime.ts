import { createRequire } from 'node:module';
import net from 'node:net';
import vm from 'node:vm';
import { createReferences } from './references.ts';
import { GONE, type Host, type Runtime } from './runtime.ts';
import { createTimers } from './timers.ts';
import { fromWire, toWire } from './wire.ts';

type Fn = (...args: unknown[]) => unknown;

/** The globals of Node.js for a script; FXServer has all of them. */
const NODE = { Buffer, URL, TextEncoder, TextDecoder, crypto, process, queueMicrotask, AbortController };

/** `require` of one runtime: its connections are its own, and end with it. */
const createRequired = (sockets: Set<net.Socket>) => {
  const plain = createRequire(import.meta.url);
  const connect = (...args: Parameters<typeof net.connect>): net.Socket => {
    const socket = net.connect(...args);
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket));
  };
  return (name: string): unknown => (/^(node:)?net$/.test(name) ? { ...net, connect } : plain(name));
};

/**
 * Runs the JavaScript of a resource as FXServer does: as classic scripts in a context of their own, with the natives
 * and its own timers as globals. Checked against main.js of citizenfx/fivem at 06d4d348c.
 */
export const startJs = (
  { resource, id, scripts }: { resource: string; id: number; scripts: readonly vm.Script[] },
  host: Host,
) => {
  const references = createReferences<Fn>();
  const unused = new FinalizationRegistry<string>((name) => host.release(name));
  const handlers = new Map<string, Set<Fn>>();
  const timers = createTimers(host);
  const sockets = new Set<net.Socket>();
  let isClosed = false;

  const register = (fn: Fn): string => `${resource}:${id}:${references.add(fn)}`;

  const reference = (name: string): Fn => {
    const fn = Object.assign(
      (...args: unknown[]) => {
        const answer = host.invoke(name, toWire(args, register));
        if (answer === '' || answer === GONE) throw new Error(`Error in nested ref call for ${resource}. `);
        return unwrap(fromWire(answer, reference));
      },
      { __cfx_functionReference: name },
    );
    host.hold(name);
    unused.register(fn, name);
    return fn;
  };

  /** No result is undefined, one is itself, more are a list. From Lua they are an object if one before the last is nil. */
  const plain = (results: unknown[]): unknown => {
    const { length } = results;
    return length === 0 || length === 1 ? results[0] : results;
  };
  /** A pending result is a promise, which an error rejects with its text. */
  const unwrap = (results: unknown[]): unknown => {
    const [first] = Array.isArray(results) ? results : [];
    if (typeof first === 'object' && first !== null && '__cfx_async_retval' in first) {
      const later = first.__cfx_async_retval as Fn;
      return new Promise((resolve, reject) => {
        later((values: unknown[], problem: unknown) => {
          if (problem === null || problem === undefined) resolve(plain(values));
          else reject(problem);
        });
      });
    }
    return plain(results);
  };

  const run = (fn: Fn, args: readonly unknown[]): unknown => {
    try {
      return fn(...args);
    } catch (error) {
      host.error(`${resource}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      throw error;
    }
  };

  const on = (name: string, fn: Fn): void => {
    host.hears(name);
    const all = handlers.get(name) ?? new Set();
    handlers.set(name, all.add(fn));
  };
  const emit = (name: string, ...args: unknown[]): void => host.event(name, toWire(args, register));

  /** Exports are kept until the queued event says that their resource has stopped. */
  const cached = new Map<string, Map<string, Fn>>();
  on('onServerResourceStop', (stopped) => cached.delete(String(stopped)));
  const exported = (target: string, name: string): Fn => {
    const known = cached.get(target) ?? new Map<string, Fn>();
    cached.set(target, known);
    if (!known.has(name)) emit(`__cfx_export_${target}_${name}`, (fn: Fn) => known.set(name, fn));
    const found = known.get(name);
    if (found === undefined) throw new Error(`No such export ${name} in resource ${target}`);
    return (...args) => {
      try {
        return found(...args);
      } catch {
        throw new Error(`An error occurred while calling export ${name} of resource ${target} - see above for details`);
      }
    };
  };
  const addExport = (name: string, fn: Fn): void => on(`__cfx_export_${resource}_${name}`, (give) => (give as Fn)(fn));
  const exportsProxy = new Proxy(addExport, {
    get: (_target, name) =>
      new Proxy(
        {},
        {
          get: (_inner, method) => exported(String(name), String(method)),
        },
      ),
  });

  const globals: Record<string, unknown> = {
    ...NODE,
    ...timers.globals,
    performance: { now: () => host.clock() / 1_000 },
    console: { log: host.print, warn: host.print, error: host.print },
    require: createRequired(sockets),
    exports: exportsProxy,
    on,
    addEventHandler: on,
    emit,
    removeEventListener: (name: string, fn: Fn) => handlers.get(name)?.delete(fn),
  };
  for (const name of host.natives) globals[name] = (...args: unknown[]) => host.native(name, args);
  const context = vm.createContext(globals);

  return {
    resource,
    id,
    export: addExport,
    on,
    load: (): void => {
      for (const script of scripts) script.runInContext(context);
    },
    event: (name, source, args) => {
      globals['source'] = /^\d+$/.test(source) ? Number(source) : source;
      for (const handler of [...(handlers.get(name) ?? [])]) {
        try {
          run(handler, fromWire(args, reference));
        } catch {
          // Told to the console; the other handlers go on.
        }
      }
      // Also after an event inside of another event's handler.
      globals['source'] = null;
    },
    invoke: (name, args) => {
      if (isClosed) return GONE;
      const fn = references.get(Number(name));
      if (fn === undefined) return toWire([], register);
      try {
        const result = run(fn, fromWire(args, reference));
        // A promise of the context's own kind: it is no Object of ours.
        if (!(typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function')) {
          return toWire([result], register);
        }
        const { then } = result;
        const later = (done: Fn): void => {
          const answer = (results: unknown, problem: unknown): void => {
            try {
              done(results, problem);
            } catch {
              // The calling resource, or this one, has stopped meanwhile.
            }
          };
          const textOf = (problem: unknown): string => String(Object(problem).message ?? problem ?? '');
          then.call(
            result,
            (value: unknown) => answer([value], null),
            (problem: unknown) => answer(null, textOf(problem)),
          );
        };
        return toWire([{ __cfx_async_retval: later }], register);
      } catch {
        return '';
      }
    },
    hold: (name) => references.hold(Number(name)),
    release: (name) => references.release(Number(name)),
    tick: timers.tick,
    close: () => {
      isClosed = true;
      timers.close();
      for (const socket of sockets) socket.destroy();
      handlers.clear();
      references.clear();
    },
  } satisfies Runtime & { load(): void; export(name: string, fn: Fn): void; on(name: string, fn: Fn): void };
};
