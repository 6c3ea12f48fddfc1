import { createRequire } from 'node:module';
import net from 'node:net';
import vm from 'node:vm';
import { createReferences } from './references.ts';
import type { Host, Runtime } from './runtime.ts';
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
 * and its own timers as globals.
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
        if (answer === '') throw new Error(`Error in nested ref call for ${resource}. `);
        return unwrap(fromWire(answer, reference));
      },
      { __cfx_functionReference: name },
    );
    host.hold(name);
    unused.register(fn, name);
    return fn;
  };

  /** No result is undefined, one is itself, more are a list; a pending result is a promise. */
  const unwrap = (results: unknown[]): unknown => {
    const [first] = results;
    if (typeof first === 'object' && first !== null && '__cfx_async_retval' in first) {
      const later = first.__cfx_async_retval as Fn;
      return new Promise((resolve, reject) => {
        later((value: unknown, problem: unknown) => (problem ? reject(new Error(String(problem))) : resolve(value)));
      });
    }
    return results.length > 1 ? results : first;
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
    const all = handlers.get(name) ?? new Set();
    handlers.set(name, all.add(fn));
  };
  const emit = (name: string, ...args: unknown[]): void => host.event(name, toWire(args, register));

  const exported = (target: string, name: string): Fn => {
    let found: Fn | undefined;
    emit(`__cfx_export_${target}_${name}`, (fn: Fn) => {
      found = fn;
    });
    if (found === undefined) throw new Error(`No such export ${name} in resource ${target}`);
    return found;
  };
  const addExport = (name: string, fn: Fn): void => on(`__cfx_export_${resource}_${name}`, (give) => (give as Fn)(fn));
  const exportsProxy = new Proxy(addExport, {
    get: (_target, name) =>
      new Proxy(
        {},
        {
          get:
            (_inner, method) =>
            (...args: unknown[]) =>
              exported(String(name), String(method))(...args),
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
      for (const handler of [...(handlers.get(name) ?? [])]) {
        const before = globals['source'];
        globals['source'] = /^\d+$/.test(source) ? Number(source) : source;
        try {
          run(handler, fromWire(args, reference));
        } catch {
          // Told to the console; the other handlers go on.
        }
        globals['source'] = before;
      }
    },
    invoke: (name, args) => {
      const fn = references.get(Number(name));
      if (fn === undefined || isClosed) return '';
      try {
        const result = run(fn, fromWire(args, reference));
        // A promise of the context's own kind: it is no Object of ours.
        if (!(typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function')) {
          return toWire([result], register);
        }
        const { then } = result;
        const later = (done: Fn): void => {
          const answer = (...results: unknown[]): void => {
            try {
              done(...results);
            } catch {
              // The calling resource, or this one, has stopped meanwhile.
            }
          };
          then.call(result, answer, (problem: unknown) => answer(null, String(problem)));
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
