import { copyFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { HubPool, HubProcess } from './hub-client.ts';
import type { Told } from './hub-process.ts';
import { type Frame, Line } from './line.ts';
import type { Secrets, Tree } from './trees.ts';

/** The bound of each wait: only a fault takes so long. */
const WITHIN_MS = 30_000;
/** Turns in which this process reads what the hub had sent. */
const TURNS = 12;
/** An id that a hub makes up. Ids that it derives from a key are longer, and equal in both hubs. */
const RANDOM_ID = /\b([a-z]{3,4})_[0-9a-hjkmnp-tv-z]{24}\b/g;
const ALIAS = /\b[a-z]{3,4}#\d+\b/g;

export type Call = { method: string; path: string; json?: unknown; headers?: Record<string, string> };
export type Answer = { status: number; headers: Record<string, string>; body: Record<string, unknown> } | 'cut';
export type Clock = { wall: number; monotonic: number };

const KEPT_HEADERS = ['retry-after', 'location', 'idempotency-replayed', 'preference-applied'];

/** One of the two hubs as the world sees it: its process, its callers, and the lines of its bridges. */
export class Side {
  readonly tree: Tree;
  readonly lines: Line[] = [];
  readonly #pool: HubPool;
  readonly #secrets: Secrets;
  readonly #file: string;
  readonly #aliases = new Map<string, string>();
  readonly #actuals = new Map<string, string>();
  readonly #answers: (Answer | undefined)[] = [];
  readonly #seen = new Set<number>();
  #hub: HubProcess | undefined;
  /** The connections of requests without an answer. */
  readonly #callers = new Set<Socket>();
  #open = 0;
  #endedLines = 0;

  constructor(tree: Tree, { pool, secrets, file }: { pool: HubPool; secrets: Secrets; file: string }) {
    this.tree = tree;
    this.#pool = pool;
    this.#secrets = secrets;
    this.#file = file;
  }

  get isRunning(): boolean {
    return this.#hub?.isRunning === true;
  }

  /** The end of the hub's log. */
  get said(): string {
    return this.#hub?.said ?? '';
  }

  async reset(): Promise<void> {
    await copyFile(this.tree.database, this.#file);
  }

  async start(clock: Clock): Promise<void> {
    this.#hub = this.#pool.take();
    await this.#hub.open(this.#file, clock);
  }

  async kill(): Promise<void> {
    await this.#hub?.kill();
    await this.#hasEnded();
  }

  async stop(): Promise<void> {
    await this.#ask({ do: 'stop' });
  }

  /** Lets time pass until the hub that stops has ended. @throws Error when it does not */
  async end(withinMs: number): Promise<void> {
    // A stopping hub looks every 20 ms whether its bridges have closed: they get the time for that.
    for (let passed = 0; this.isRunning && passed < withinMs; passed += 20) {
      await this.pass(20, { wall: 0, isDeaf: false });
    }
    if (this.isRunning) throw new Error(`the ${this.tree.name} hub does not stop: ${this.said}`);
    await this.#hasEnded();
  }

  /** Ends it after a walk; `isSound`: its process may be used again. */
  async close({ isSound }: { isSound: boolean }): Promise<void> {
    for (const line of this.lines) line.cut();
    if (isSound && this.#hub !== undefined) await this.#pool.give(this.#hub);
    else await this.#hub?.kill();
    for (const end of ['', '-wal', '-shm']) await rm(this.#file + end, { force: true });
  }

  /** Lets time pass. Bridges and callers react afterwards: to the end of a connection, too. */
  async advance(ms: number): Promise<void> {
    const readers = [...this.lines, ...this.#callers];
    for (const reader of readers) reader.pause();
    await this.#ask({ do: 'advance', ms });
    for (const reader of readers) reader.resume();
  }

  /** Lets time pass; then the bridges answer the pings that came, unless they hang. */
  async pass(ms: number, { wall, isDeaf }: { wall: number; isDeaf: boolean }): Promise<void> {
    await this.advance(ms);
    if (isDeaf) return;
    await this.settle();
    if (!this.lines.some((line) => line.isPinged)) return;
    for (const line of this.lines) await line.pong(wall);
    await this.settle();
  }

  /** The process dies at the n-th boundary from now on; 0: at none. */
  async arm(boundary: number): Promise<void> {
    await this.#ask({ do: 'arm', boundary });
  }

  async shift(ms: number): Promise<void> {
    await this.#ask({ do: 'shift', ms });
  }

  /** Sends a request, and does not wait for its answer. Ids are aliases. */
  async begin(number: number, call: Call): Promise<void> {
    this.#answers[number] = undefined;
    await this.#send(call, (answer) => {
      this.#answers[number] = answer;
    });
  }

  /** The answer to a request, with aliases; undefined: it has not come. */
  answerOf(number: number): Answer | undefined {
    const answer = this.#answers[number];
    return answer && this.named(answer);
  }

  /** A request whose answer needs no time to pass. */
  async read(path: string): Promise<Record<string, unknown>> {
    let answer: Answer | undefined;
    await this.#send({ method: 'GET', path }, (given) => {
      answer = given;
    });
    await this.#until(() => answer !== undefined, `the answer to GET ${path}`);
    return answer === undefined || answer === 'cut' ? { answer: 'cut' } : { status: answer.status, ...answer.body };
  }

  /** Opens a line and says hello. False: it was refused or closed. A quiet one says no more for now. */
  async connect(hello: object, { wall, isQuiet }: { wall: number; isQuiet: boolean }): Promise<boolean> {
    const { port } = this.#hub ?? { port: 0 };
    const line = await Line.dial(port, this.#secrets.token).catch(() => undefined);
    if (line === undefined) return false;
    this.lines.push(line);
    line.isDeaf = isQuiet;
    await this.settle();
    // The hub lets connections in one after another.
    await this.advance(10);
    await this.#until(() => !line.isDialing, 'the end of a handshake');
    await line.send(JSON.stringify(hello));
    await this.settle();
    await this.advance(10);
    await this.settle();
    await line.pong(wall);
    return line.isOpen;
  }

  /** Sends frames over a line. Ids are aliases. */
  async say(line: number, frames: readonly object[]): Promise<void> {
    await this.lines.at(line)?.send(...frames.map((frame) => this.#actual(JSON.stringify(frame))));
    await this.settle();
  }

  async cut(line: number): Promise<void> {
    const cut = this.lines.at(line);
    cut?.cut();
    await this.#until(() => cut === undefined || cut.closed !== undefined, 'the end of a line');
    await this.settle();
  }

  /** Resolves when the hub has done all that follows from what it was sent, and all that it has sent has come. */
  async settle(): Promise<void> {
    for (const line of this.lines) await line.fence();
    const endsAt = performance.now() + WITHIN_MS;
    for (;;) {
      const told = await this.#ask({ do: 'quiet' });
      for (let n = 0; n < TURNS; n += 1) await turn();
      if (told === undefined) return this.#hasEnded();
      const { length } = this.lines.filter((line) => line.hasEnded);
      // The hub may notice the end of a line later than its bridge.
      const isNoticed = length === this.#endedLines;
      this.#endedLines = length;
      if (isNoticed && told.begun - told.ended === this.#open && this.lines.every((line) => line.isCalm)) return;
      if (performance.now() > endsAt)
        throw new Error(`the ${this.tree.name} hub is not settled: ${this.#stateOf(told)}`);
    }
  }

  /** What has come since the last call, with aliases for the ids that the hub made up. */
  take(): { frames: Frame[][]; answers: Record<number, Answer> } {
    const frames = this.lines.map((line) => line.takeFrames().map((frame) => this.named(frame)));
    const answers: Record<number, Answer> = {};
    for (const [number, answer] of this.#answers.entries()) {
      if (answer === undefined || this.#seen.has(number)) continue;
      this.#seen.add(number);
      answers[number] = this.named(answer);
    }
    return { frames, answers };
  }

  /** The same with aliases in the order of their appearance. */
  named<T>(value: T): T {
    const text = JSON.stringify(value).replaceAll(RANDOM_ID, (id, kind: string) => {
      const known = this.#aliases.get(id);
      if (known !== undefined) return known;
      const alias = `${kind}#${this.#aliases.size + 1}`;
      this.#aliases.set(id, alias);
      this.#actuals.set(alias, id);
      return alias;
    });
    return JSON.parse(text);
  }

  #actual(text: string): string {
    return text.replaceAll(ALIAS, (alias) => this.#actuals.get(alias) ?? alias);
  }

  async #ask(wish: Parameters<HubProcess['ask']>[0]): Promise<Told | undefined> {
    return this.#hub?.ask(wish);
  }

  async #hasEnded(): Promise<void> {
    await this.#until(() => this.#open === 0, 'the end of all requests');
    await this.#until(() => this.lines.every((line) => line.hasEnded), 'the end of all lines');
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    const endsAt = performance.now() + WITHIN_MS;
    while (!holds()) {
      if (performance.now() > endsAt) throw new Error(`${this.tree.name}: ${what} did not come; it said: ${this.said}`);
      await turn();
    }
  }

  #stateOf(told: Told | undefined): string {
    const calm = this.lines.map((line) => line.isCalm).join();
    return `${JSON.stringify(told)}, ${this.#open} requests open here, calm lines ${calm}; it said: ${this.said}`;
  }

  /** Resolves when the request is on its way. */
  #send({ method, path, json, headers = {} }: Call, done: (answer: Answer) => void): Promise<void> {
    const body = json === undefined ? undefined : this.#actual(JSON.stringify(json));
    this.#open += 1;
    return new Promise((resolve) => {
      const end = (answer: Answer): void => {
        this.#open -= 1;
        done(answer);
        resolve();
      };
      const outgoing = request({
        host: '127.0.0.1',
        port: this.#hub?.port,
        method,
        path: this.#actual(path).replaceAll('#', '%23'),
        agent: false,
        headers: {
          'X-API-Key': this.#secrets.key,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
      });
      outgoing.on('socket', (socket) => {
        this.#callers.add(socket);
        socket.once('close', () => this.#callers.delete(socket));
      });
      outgoing.on('finish', () => resolve());
      outgoing.on('error', () => end('cut'));
      outgoing.on('response', (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        incoming.on('error', () => undefined);
        incoming.on('close', () => {
          if (!incoming.complete) end('cut');
        });
        incoming.on('end', () => {
          const kept = KEPT_HEADERS.flatMap((name) =>
            incoming.headers[name] ? [[name, String(incoming.headers[name])]] : [],
          );
          end({ status: incoming.statusCode ?? 0, headers: Object.fromEntries(kept), body: JSON.parse(text || '{}') });
        });
      });
      outgoing.end(body);
    });
  }
}
