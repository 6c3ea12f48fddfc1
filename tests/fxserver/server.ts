import type vm from 'node:vm';
import { createBodies } from './bodies.ts';
import { startJs } from './js-runtime.ts';
import { createKvp, type Kvp } from './kvp.ts';
import { startLua } from './lua-runtime.ts';
import { createNatives } from './natives.ts';
import { createPlayers } from './players.ts';
import { GONE, type Host, type Runtime } from './runtime.ts';
import type { Wire } from './wire.ts';

/** A resource: Lua first, as in a manifest that lists them in this order. */
export type Resource = {
  name: string;
  lua?: readonly { name: string; code: string }[];
  js?: readonly vm.Script[];
};

const MICROTASKS = 100;

/**
 * A game server in this process: runtimes that share nothing, events and exports between them, players, convars,
 * stored values, and a clock whose ticks come when the test says so, or 20 times a second.
 */
export const createFxServer = ({
  kvp = createKvp(),
  now = () => performance.now(),
  clock = () => performance.now() * 1_000,
}: {
  kvp?: Kvp;
  now?: () => number;
  clock?: () => number;
} = {}) => {
  const players = createPlayers();
  const convars = new Map<string, string>([
    ['gamename', 'gta5'],
    ['sv_maxclients', '48'],
  ]);
  const convarReaders = new Map<string, string[]>();
  const folders = new Map<string, string>();
  const manifests = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const installed = new Set<string>();
  const startedLast = new Map<string, Resource>();
  const resources = new Map<string, readonly Runtime[]>();
  const stack: Runtime[] = [];
  const lines: string[] = [];
  const errors: string[] = [];
  const heard = new Map<string, Set<string>>();
  const queued: { name: string; resource: string }[] = [];
  let isRestarting = false;
  let lastRuntime = 0;
  let ticking: NodeJS.Timeout | undefined;

  const within = <T>(runtime: Runtime, work: () => T): T => {
    stack.push(runtime);
    try {
      return work();
    } finally {
      stack.pop();
    }
  };
  const runtimes = (): Runtime[] => [...resources.values()].flat();

  const trigger = (name: string, source: string, args: Wire): void => {
    for (const runtime of runtimes()) {
      if (heard.get(name)?.has(runtime.resource)) within(runtime, () => runtime.event(name, source, args));
    }
  };
  const emit = (name: string, source: number | '', ...args: unknown[]): void =>
    trigger(name, String(source), JSON.stringify(args));

  const drop = (source: number, reason: string): void => {
    if (players.get(source) === undefined) return;
    // Queued to the main thread; identifiers are still there when the handlers run.
    setImmediate(() => {
      if (players.get(source) === undefined) return;
      emit('playerDropped', source, reason, '', 3);
      players.leave(source);
    });
  };

  const bodies = createBodies({ players, isObeyed: () => !convars.has('fake:disobeys') });
  const natives = createNatives({
    kvp,
    players,
    bodies: bodies.natives,
    convars,
    convarReaders,
    folders,
    manifests,
    now,
    current: () => stack.at(-1)?.resource ?? '',
    invoking: () => stack.at(-2)?.resource ?? null,
    stateOf: (resource) => {
      if (resources.has(resource)) return 'started';
      return installed.has(resource) ? 'stopped' : 'missing';
    },
    drop,
    print: (line) => lines.push(line),
  });

  /** Sockets and promises of a script run outside of any call: the server still knows whose they are. */
  const inside = <T>(id: number, work: () => T): T => {
    const runtime = runtimes().find((one) => one.id === id);
    if (runtime === undefined) throw new Error('the resource has stopped');
    return stack.at(-1) === runtime ? work() : within(runtime, work);
  };

  const ownerOf = (reference: string): { runtime: Runtime | undefined; fn: string } => {
    const [owner = '', number = '', fn = ''] = reference.split(':');
    return { runtime: resources.get(owner)?.find((one) => one.id === Number(number)), fn };
  };

  const hostFor = (resource: string, id: number): Host => ({
    invoke: (reference, args) =>
      inside(id, () => {
        const { runtime, fn } = ownerOf(reference);
        return runtime === undefined ? GONE : within(runtime, () => runtime.invoke(fn, args));
      }),
    hears: (name) => void heard.set(name, (heard.get(name) ?? new Set()).add(resource)),
    event: (name, args) => inside(id, () => trigger(name, '', args)),
    hold: (reference) => {
      const { runtime, fn } = ownerOf(reference);
      runtime?.hold(fn);
    },
    release: (reference) => {
      const { runtime, fn } = ownerOf(reference);
      runtime?.release(fn);
    },
    natives: Object.keys(natives),
    native: (name, args) => inside(id, () => natives[name]?.(...(args as never[]))),
    print: (line) => lines.push(`[${resource}] ${line}`),
    error: (line) => errors.push(line),
    now,
    clock,
  });
  const nextId = (): number => {
    lastRuntime += 1;
    return lastRuntime;
  };

  const stop = async (name: string): Promise<void> => {
    const resource = resources.get(name);
    if (resource === undefined) return;
    emit('onResourceStop', '', name);
    // Microtasks of the handlers finish before the runtimes end; later turns of the loop do not.
    for (let step = 0; step < MICROTASKS; step += 1) await undefined;
    resources.delete(name);
    for (const runtime of resource) runtime.close();
    queued.push({ name: 'onServerResourceStop', resource: name });
  };

  /** The process dies without an event, and unflushed values are lost. */
  const crash = (): void => {
    clearInterval(ticking);
    const all = runtimes();
    resources.clear();
    for (const runtime of all) runtime.close();
    kvp.crash();
  };

  const start = async (resource: Resource): Promise<void> => {
    const { name, lua = [], js = [] } = resource;
    startedLast.set(name, resource);
    const started: (Runtime & { load(): void })[] = [];
    if (lua.length > 0) {
      const id = nextId();
      started.push(await startLua({ resource: name, id, scripts: lua }, hostFor(name, id)));
    }
    if (js.length > 0) {
      const id = nextId();
      started.push(startJs({ resource: name, id, scripts: js }, hostFor(name, id)));
    }
    installed.add(name);
    resources.set(name, started);
    for (const runtime of started) within(runtime, () => runtime.load());
    queued.push({ name: 'onServerResourceStart', resource: name });
    emit('onResourceStart', '', name);
  };

  /** Queued events come first, as in `ResourceEventComponent.cpp` of citizenfx/fivem at 06d4d348c. */
  const tick = (): void => {
    if (isRestarting) return;
    for (let next = queued.shift(); next !== undefined; next = queued.shift()) emit(next.name, '', next.resource);
    const at = now();
    for (const runtime of runtimes()) within(runtime, () => runtime.tick(at));
  };

  return {
    kvp,
    players,
    bodies,
    convars,
    convarReaders,
    /** The folders and manifests of resources that were read from a disk. */
    folders,
    manifests,
    /** Resources that the server has, started or not. */
    installed,
    /** The printed lines and the uncaught errors. */
    lines,
    errors,
    isStarted: (name: string): boolean => resources.has(name),
    start,
    stop,
    /** Starts a resource again, with the scripts that it had, before the next tick. */
    restart: async (name: string): Promise<void> => {
      isRestarting = true;
      await stop(name);
      await start(startedLast.get(name) ?? { name });
      isRestarting = false;
    },
    emit,
    tick,
    /**
     * Kilobytes that the Lua of a resource holds, without garbage. That of others is collected too: it lets go of functions
     * of this one, which are gone after the next tick.
     */
    luaMemory: (name: string): number => {
      let kilobytes = 0;
      for (const [resource, runtimes] of resources) {
        for (const runtime of runtimes) {
          const held = runtime.memory?.() ?? 0;
          if (resource === name) kilobytes += held;
        }
      }
      return kilobytes;
    },
    /** Ticks by itself from now on, every `ms` milliseconds (a real server: 50). */
    run: (ms = 50): void => {
      clearInterval(ticking);
      ticking = setInterval(tick, ms);
    },
    /** Hears an event as one more resource does. */
    hear: (event: string, fn: (...args: never[]) => void): void => {
      const id = nextId();
      const runtime = startJs({ resource: `test-${id}`, id, scripts: [] }, hostFor(`test-${id}`, id));
      resources.set(runtime.resource, [runtime]);
      runtime.on(event, fn as never);
    },
    /** Adds a resource whose exports are functions of the test. */
    provide: (name: string, functions: Record<string, (...args: never[]) => unknown>): void => {
      const id = nextId();
      const runtime = startJs({ resource: name, id, scripts: [] }, hostFor(name, id));
      installed.add(name);
      resources.set(name, [runtime]);
      for (const [method, fn] of Object.entries(functions)) runtime.export(method, fn as never);
    },
    drop,
    /** A player with this name and these identifiers joins; frameworks load the character by themselves. */
    join: (name: string, identifiers: string[]): number => {
      const { source } = players.join(name, identifiers);
      emit('playerJoining', source, '65536');
      return source;
    },
    crash,
  };
};
export type FxServer = ReturnType<typeof createFxServer>;
