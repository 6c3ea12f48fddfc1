/** A map with a bound: over it, the oldest entry is forgotten. Setting an entry makes it the newest. */
export class Newest<V> extends Map<string, V> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(name: string, value: V): this {
    this.delete(name);
    super.set(name, value);
    const [oldest] = this.size > this.#most ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return this;
  }
}

/** Names whose counts are kept, as of addresses. */
const MAX_NAMES = 50_000;

/**
 * Counts by name, such as an address, in windows that begin with the first count. Over `names`, the oldest windows are
 * forgotten.
 */
export class Windows {
  readonly #windows: Newest<{ from: number; count: number }>;
  readonly #ms: number;
  readonly #now: () => number;

  constructor({ ms = 60_000, names = MAX_NAMES, now = () => performance.now() } = {}) {
    this.#windows = new Newest(names);
    this.#ms = ms;
    this.#now = now;
  }

  /** Counts one more. `before`: the count of the last window, if this one begins a new window. */
  add(name: string): { count: number; resetMs: number; before: number } {
    const at = this.#now();
    const known = this.#windows.get(name);
    const isCurrent = known !== undefined && at - known.from < this.#ms;
    const window = isCurrent ? known : { from: at, count: 0 };
    if (!isCurrent) this.#windows.set(name, window);
    window.count += 1;
    return { count: window.count, resetMs: window.from + this.#ms - at, before: isCurrent ? 0 : (known?.count ?? 0) };
  }

  /** Reads the count without counting. */
  read(name: string): { count: number; resetMs: number } {
    const window = this.#windows.get(name);
    const resetMs = window === undefined ? 0 : window.from + this.#ms - this.#now();
    return window !== undefined && resetMs > 0 ? { count: window.count, resetMs } : { count: 0, resetMs: 0 };
  }

  /** True if nothing was ever counted. */
  get isEmpty(): boolean {
    return this.#windows.size === 0;
  }
}

/** Counts what is open by name, such as the connections of a project. A name with nothing open takes no memory. */
export class Tally {
  readonly #counts = new Map<string, number>();
  #total = 0;

  change(name: string, by: 1 | -1): void {
    const count = this.of(name) + by;
    this.#total += by;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  get total(): number {
    return this.#total;
  }
}

/** Spaces work by name: each turn begins `everyMs` after the one before it at the earliest. */
export class Pace {
  readonly #everyMs: number;
  readonly #next = new Map<string, number>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Books the next turn, and returns the time until it. Undefined: it would be more than `mostMs`, and nothing is booked. */
  book(name: string, mostMs = Number.POSITIVE_INFINITY): number | undefined {
    const at = performance.now();
    for (const [each, next] of this.#next) if (next <= at) this.#next.delete(each);
    const turn = this.#next.get(name) ?? at;
    if (turn - at > mostMs) return undefined;
    this.#next.set(name, turn + this.#everyMs);
    return turn - at;
  }
}
