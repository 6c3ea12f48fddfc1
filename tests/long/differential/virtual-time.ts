import { subscribe } from 'node:diagnostics_channel';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

const require = createRequire(import.meta.url);
const real = { setImmediate, clearImmediate, setTimeout, clearTimeout };

/** Turns of the event loop without any work: each one reads all sockets that have bytes. */
const CALM_TURNS = 12;
/** The same between two timers, when no socket has any. */
const CALM_BETWEEN = 4;
/** From so many turns on, the process rests between them: it waits for a thread. */
const SPIN_TURNS = 100;
/** Work in threads and in the system, by its name in Node.js. */
const PENDING = /^(FSReq|GetAddrInfo|TCPConnect|Shutdown|Write|Zlib|ZLIB)/;

type Call = () => void;

/** A timer of `setTimeout` or `setInterval` that only virtual time moves. */
class Timer {
  at = 0;
  readonly order: number;
  readonly call: Call;
  readonly everyMs: number | undefined;
  constructor(order: number, call: Call, everyMs: number | undefined) {
    this.order = order;
    this.call = call;
    this.everyMs = everyMs;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

/**
 * The clocks and timers of a process that stand still until they are told to move. Everything that a hub does between two
 * moves follows from its sockets alone, so two hubs with the same input come to the same state at the same time.
 */
export class VirtualTime {
  #wall = 0;
  #monotonic = 0;
  #made = 0;
  readonly #timers = new Set<Timer>();
  readonly #immediates = new Set<unknown>();
  readonly #asked = new Map<Worker, number>();
  /** Answers of threads, in the order in which they came. */
  readonly #answers: Call[] = [];
  /** Grows with everything that ran. */
  #acts = 0;
  #begun = 0;
  #ended = 0;

  /** Replaces the clocks and timers of this process. Called before the hub is loaded. */
  install(): void {
    Date.now = () => this.#wall;
    performance.now = () => this.#monotonic;
    Math.random = () => 0.5;
    this.#replaceTimers();
    this.#replaceImmediates();
    this.#watchThreads();
    subscribe('http.server.request.start', () => this.#count(() => (this.#begun += 1)));
    subscribe('http.server.response.finish', () => this.#count(() => (this.#ended += 1)));
    syncBuiltinESMExports();
  }

  /** Sets both clocks for a hub that is about to start. */
  begin(wall: number, monotonic: number): void {
    this.#timers.clear();
    this.#begun = 0;
    this.#ended = 0;
    this.#wall = wall;
    this.#monotonic = monotonic;
  }

  /** Sets the clock of the machine; the monotonic clock stays. */
  shift(ms: number): void {
    this.#wall += ms;
  }

  /** HTTP requests that came, and those that were answered. */
  get requests(): { begun: number; ended: number } {
    return { begun: this.#begun, ended: this.#ended };
  }

  /** Moves both clocks. Each due timer runs at its time, and all that it causes has ended before the next one runs. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (let next = this.#due(end); next !== undefined; next = this.#due(end)) {
      this.#moveTo(next.at);
      if (next.everyMs === undefined) this.#timers.delete(next);
      else next.at += next.everyMs;
      this.#acts += 1;
      next.call();
      await this.#calm(CALM_BETWEEN);
    }
    this.#moveTo(end);
  }

  /** Resolves when the hub waits for nothing but its sockets and its timers. */
  async quiet(): Promise<void> {
    do await this.#calm(CALM_TURNS);
    while (process.getActiveResourcesInfo().some((name) => PENDING.test(name)));
  }

  async #calm(wanted: number): Promise<void> {
    for (let calm = 0, turns = 0; calm < wanted; turns += 1) {
      const before = this.#acts;
      await new Promise<void>((resolve) => {
        if (turns < SPIN_TURNS) real.setImmediate(resolve);
        else real.setTimeout(resolve, 1);
      });
      calm = before === this.#acts && !this.#isBusy() ? calm + 1 : 0;
    }
  }

  #count(act: () => unknown): void {
    this.#acts += 1;
    act();
  }

  #isBusy(): boolean {
    return this.#immediates.size > 0 || [...this.#asked.values()].some((open) => open > 0);
  }

  #moveTo(at: number): void {
    this.#wall += at - this.#monotonic;
    this.#monotonic = at;
  }

  #due(until: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > until) continue;
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    return first;
  }

  #add(call: Call, ms: number | undefined, isRepeated: boolean): Timer {
    const delay = Math.max(1, Math.trunc(Number(ms ?? 1)) || 1);
    this.#made += 1;
    const timer = new Timer(this.#made, call, isRepeated ? delay : undefined);
    timer.at = this.#monotonic + delay;
    this.#timers.add(timer);
    return timer;
  }

  #replaceTimers(): void {
    const set =
      (isRepeated: boolean) =>
      (call: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): Timer =>
        this.#add(() => call(...args), ms, isRepeated);
    const clear = (timer: unknown): void => {
      if (timer instanceof Timer) this.#timers.delete(timer);
      else real.clearTimeout(timer as NodeJS.Timeout);
    };
    const later = (ms?: number, value?: unknown): Promise<unknown> =>
      // A rest of no length is a turn: the hub makes it as long as its last step, and that took no time.
      new Promise((resolve) => {
        if (ms === undefined || ms < 1) setImmediate(resolve, value);
        else this.#add(() => resolve(value), ms, false);
      });
    const setTimer = Object.assign(set(false), { [promisify.custom]: later });
    const all = { setTimeout: setTimer, setInterval: set(true), clearTimeout: clear, clearInterval: clear };
    Object.assign(globalThis, all);
    Object.assign(require('node:timers'), all);
    Object.assign(require('node:timers/promises'), { setTimeout: later });
  }

  #replaceImmediates(): void {
    const set = (call: (...args: unknown[]) => void, ...args: unknown[]): unknown => {
      const handle = real.setImmediate(() => {
        this.#immediates.delete(handle);
        this.#acts += 1;
        call(...args);
      });
      this.#immediates.add(handle);
      return handle;
    };
    const clear = (handle: NodeJS.Immediate): void => {
      this.#immediates.delete(handle);
      real.clearImmediate(handle);
    };
    const turn = (value?: unknown): Promise<unknown> => new Promise((resolve) => set(() => resolve(value)));
    const all = { setImmediate: Object.assign(set, { [promisify.custom]: turn }), clearImmediate: clear };
    Object.assign(globalThis, all);
    Object.assign(require('node:timers'), all);
    Object.assign(require('node:timers/promises'), { setImmediate: turn });
  }

  /** Delivers the next answer of a thread, unless there is still work of this one. */
  #deliver(): void {
    if (this.#immediates.size === 0) this.#answers.shift()?.();
    if (this.#answers.length > 0) real.setImmediate(() => this.#deliver());
  }

  /**
   * Counts what threads were asked and have not answered: each thread of a hub answers each message with one. An answer is
   * delivered when all that the one before has caused is done, so that the speed of a thread changes no order.
   */
  #watchThreads(): void {
    const { postMessage, emit } = Worker.prototype;
    const change = (worker: Worker, by: number): void => {
      this.#acts += 1;
      this.#asked.set(worker, Math.max(0, (this.#asked.get(worker) ?? 0) + by));
    };
    const deliver = (call: Call): void => {
      if (this.#answers.push(call) === 1) real.setImmediate(() => this.#deliver());
    };
    Worker.prototype.postMessage = function (...args) {
      change(this, 1);
      return postMessage.apply(this, args);
    };
    Worker.prototype.emit = function (this: Worker, ...args: Parameters<typeof emit>) {
      if (args[0] === 'exit' || args[0] === 'error') change(this, Number.NEGATIVE_INFINITY);
      if (args[0] !== 'message') return emit.apply(this, args);
      deliver(() => {
        change(this, -1);
        emit.apply(this, args);
      });
      return true;
    } as typeof emit;
  }
}
