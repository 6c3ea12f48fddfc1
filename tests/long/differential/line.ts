import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { WebSocket } from 'ws';

export type Frame = { type: string; [field: string]: unknown };

const FENCE = 'fence-';

/**
 * One connection of the raw bridge. It sees every frame in order, and sends nothing by itself but what the hub's time
 * needs: `pong`, and fences. A fence is a frame of an unknown type: when the hub has complained about it, it has read
 * everything before it, and all that it had sent has come.
 */
export class Line {
  /** Whether it sends neither `pong` nor fences: as a process that hangs, or that has not said its first word. */
  isDeaf = false;
  isWelcomed = false;
  closed: { code: number; reason: string } | undefined;
  refused: { status: number; code: unknown } | undefined;
  readonly #socket: WebSocket;
  readonly #tcp: Socket;
  readonly #arrived: Frame[] = [];
  #pings: number[] = [];
  #fences = 0;
  #fencesBack = 0;

  constructor(socket: WebSocket, tcp: Socket) {
    this.#socket = socket;
    this.#tcp = tcp;
    socket.on('error', () => undefined);
    socket.on('message', (data) => this.#take(JSON.parse(data.toString())));
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    socket.on('unexpected-response', (_request, response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => {
        this.refused = { status: response.statusCode ?? 0, code: JSON.parse(body || '{}').code };
      });
    });
  }

  /** Resolves when the request for the upgrade is on its way. @throws Error if nobody listens */
  static async dial(port: number, token: string): Promise<Line> {
    const tcp = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(tcp, 'connect');
    const line = new Line(
      new WebSocket(`ws://127.0.0.1:${port}/bridge`, 'causeway.v1', {
        headers: { Authorization: `Bearer ${token}` },
        perMessageDeflate: false,
        createConnection: () => tcp,
      }),
      tcp,
    );
    while (tcp.bytesWritten === 0 || tcp.writableLength > 0) await turn();
    return line;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }
  /** Whether the handshake has neither succeeded nor failed. */
  get isDialing(): boolean {
    return this.#socket.readyState === WebSocket.CONNECTING && this.refused === undefined;
  }

  /** The frames since the last call. */
  takeFrames(): Frame[] {
    return this.#arrived.splice(0);
  }

  /** Sends frames that arrive together. Resolves when they were given to the system. Does nothing on a closed line. */
  async send(...texts: readonly string[]): Promise<void> {
    if (!this.isOpen) return;
    this.#tcp.cork();
    const sent = texts.map((text) => new Promise<void>((resolve) => this.#socket.send(text, () => resolve())));
    this.#tcp.uncork();
    await Promise.all(sent);
  }

  /** Answers the pings that have come. */
  async pong(now: number): Promise<void> {
    if (this.isDeaf) return;
    for (const n of this.#pings.splice(0)) await this.send(JSON.stringify({ type: 'pong', n, now }));
  }

  async fence(): Promise<void> {
    if (this.isDeaf || !this.isWelcomed || !this.isOpen) return;
    this.#fences += 1;
    await this.send(JSON.stringify({ type: `${FENCE}${this.#fences}` }));
  }

  /** Whether nothing is on its way here: all fences have come back, or it has ended. */
  get isCalm(): boolean {
    if (this.isOpen) return this.#fencesBack === this.#fences;
    return this.hasEnded || this.isDialing;
  }
  get isPinged(): boolean {
    return this.isOpen && !this.isDeaf && this.#pings.length > 0;
  }
  get hasEnded(): boolean {
    return this.closed !== undefined || this.refused !== undefined;
  }

  /** Reads nothing for now, so that it reacts to nothing. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  cut(): void {
    this.#socket.terminate();
  }

  #take(frame: Frame): void {
    if (frame.type === 'ping') this.#pings.push(Number(frame['n']));
    else if (frame.type === 'error' && String(frame['re']).startsWith(FENCE)) this.#fencesBack += 1;
    else {
      if (frame.type === 'welcome') this.isWelcomed = true;
      this.#arrived.push(frame);
    }
  }
}
