import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { leaveNothing } from '../../kit/processes.ts';
import type { Told, Wish } from './hub-process.ts';

const PROGRAM = join(import.meta.dirname, 'hub-process.ts');
/** On a busy machine, a process may get only idle time. */
const WITHIN_MS = 60_000;

/** The process of one hub. It is loaded before it is needed, because to load it takes longer than to start it. */
export class HubProcess {
  readonly #child: ChildProcess;
  #said = '';
  #port = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(program: string) {
    this.#child = leaveNothing(
      spawn(process.execPath, [PROGRAM, program], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }),
    );
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#said = (this.#said + text).slice(-10_000);
      });
    }
    // A message to a process that has just ended is no fault.
    this.#child.on('error', () => undefined);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
  get port(): number {
    return this.#port;
  }
  /** The end of its log. */
  get said(): string {
    return this.#said;
  }

  async open(file: string, clock: { wall: number; monotonic: number }): Promise<void> {
    this.#port = (await this.ask({ do: 'open', file, ...clock }))?.port ?? 0;
    if (this.#port === 0) throw new Error(`a hub did not start: ${this.#said}`);
  }

  /** Resolves when the hub has done it and is quiet; with undefined if it has ended. One wish at a time. */
  ask(wish: Wish): Promise<Told | undefined> {
    const asked = this.#turn.then(() => this.#askNow(wish));
    this.#turn = asked.catch(() => undefined);
    return asked;
  }

  stop(): Promise<Told | undefined> {
    return this.ask({ do: 'stop' });
  }

  /** Ends it as a power cut of the process would. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  #askNow(wish: Wish): Promise<Told | undefined> {
    const child = this.#child;
    if (!this.isRunning || !child.connected) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        child.off('message', answered);
        child.off('exit', gone);
        end();
      };
      const answered = (told: unknown): void => settle(() => resolve(told as Told));
      const gone = (): void => settle(() => resolve(undefined));
      const timer = setTimeout(
        () => settle(() => reject(new Error(`a hub did not become quiet after ${wish.do}: ${this.#said}`))),
        WITHIN_MS,
      );
      child.on('message', answered);
      child.on('exit', gone);
      child.send(wish, (error) => {
        if (error !== null) gone();
      });
    });
  }
}

/** Processes for hubs of one checkout, always one of them loaded in advance. */
export class HubPool {
  readonly #program: string;
  readonly #idle: HubProcess[];
  constructor(program: string) {
    this.#program = program;
    this.#idle = [new HubProcess(program)];
  }

  take(): HubProcess {
    const taken = this.#idle.pop() ?? new HubProcess(this.#program);
    if (this.#idle.length === 0) this.#idle.push(new HubProcess(this.#program));
    return taken;
  }

  /** Gets the process of a hub back. */
  async give(hub: HubProcess): Promise<void> {
    if ((await hub.ask({ do: 'close' })) !== undefined) this.#idle.push(hub);
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.map((hub) => hub.kill()));
  }
}
