import { Socket } from 'node:net';
import Sqlite from 'better-sqlite3';

type Run = (...values: unknown[]) => unknown;

/** Numbers the moments before and after each commit and each write to a socket of this process, which dies at one of them. */
export class Boundaries {
  #left = Number.POSITIVE_INFINITY;

  /** Called before the hub is loaded. */
  install(): void {
    const pass = (): void => this.#pass();
    const around = <T>(act: () => T): T => {
      pass();
      const done = act();
      pass();
      return done;
    };
    const { prepare } = Sqlite.prototype;
    Sqlite.prototype.prepare = function (this: Sqlite.Database, text: string) {
      const statement = prepare.call(this, text);
      if (text !== 'COMMIT') return statement;
      const run = statement.run.bind(statement) as Run;
      return Object.assign(statement, { run: (...values: unknown[]) => around(() => run(...values)) });
    } as typeof prepare;
    // Both write what a turn has collected.
    const sockets = Socket.prototype as unknown as Record<'_write' | '_writev', Run>;
    for (const name of ['_write', '_writev'] as const) {
      const write = sockets[name];
      sockets[name] = function (this: Socket, ...args: unknown[]) {
        return this.remotePort === undefined ? write.apply(this, args) : around(() => write.apply(this, args));
      };
    }
  }

  /** Lets the process die at the n-th boundary from now on; 0: at none. */
  arm(n: number): void {
    this.#left = n === 0 ? Number.POSITIVE_INFINITY : n;
  }

  #pass(): void {
    this.#left -= 1;
    if (this.#left === 0) process.kill(process.pid, 'SIGKILL');
  }
}
