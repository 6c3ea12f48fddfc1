import type { Background } from './background.ts';

/**
 * Work that rows describe, by a key such as the id of a row. This process works on a key once at a time, and once more for
 * all calls that came meanwhile. Nothing is lost with the process: whoever finds the rows starts the work again. Where two
 * nodes must not work on one key, the work itself claims the row by a change that only one of them can make.
 */
export class Jobs {
  readonly #name: string;
  readonly #background: Pick<Background, 'run'>;
  readonly #work: (key: string) => Promise<void>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #isAskedAgain = new Set<string>();

  /** `name`: of the work, for the log. */
  constructor(name: string, background: Pick<Background, 'run'>, work: (key: string) => Promise<void>) {
    this.#name = name;
    this.#background = background;
    this.#work = work;
  }

  /** Works on a key without a waiting caller: a failure is logged. */
  start(key: string): void {
    this.#background.run(this.#name, () => this.run(key));
  }

  /** Resolves when the work that was under way and the work for this call have ended. */
  run(key: string): Promise<void> {
    this.#isAskedAgain.add(key);
    const running = this.#running.get(key) ?? this.#untilNotAsked(key);
    this.#running.set(key, running);
    return running;
  }

  async #untilNotAsked(key: string): Promise<void> {
    try {
      while (this.#isAskedAgain.delete(key)) await this.#work(key);
    } finally {
      this.#running.delete(key);
      this.#isAskedAgain.delete(key);
    }
  }
}
