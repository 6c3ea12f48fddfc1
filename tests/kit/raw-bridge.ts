import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { atEnd } from './ends.ts';
import { helloFrame, playerFrame } from './frames.ts';
import type { TestHub } from './hub.ts';

export type Frame = { type: string; [field: string]: unknown };
export type CommandFrame = Frame & { id: string; name: string; params: Record<string, unknown>; attempt: number };

export { helloFrame, playerFrame };

/** A WebSocket that does exactly what a test says: it sees every frame and answers nothing by itself. */
export const openRaw = (url: string, token: string, { headers = {} }: { headers?: Record<string, string> } = {}) => {
  const socket = new WebSocket(url, 'causeway.v1', {
    headers: { Authorization: `Bearer ${token}`, ...headers },
    perMessageDeflate: false,
  });
  const frames: Frame[] = [];
  const watchers = new Set<() => void>();
  const notify = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  let closed: { code: number; reason: string } | undefined;
  let refused: { status: number; body: string } | undefined;
  socket.on('error', () => undefined);
  socket.on('message', (data) => {
    frames.push(JSON.parse(data.toString()));
    notify();
  });
  socket.on('close', (code, reason) => {
    closed = { code, reason: reason.toString() };
    notify();
  });
  socket.on('unexpected-response', (_request, response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      refused = { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() };
      notify();
    });
    response.on('error', () => undefined);
  });
  atEnd(() => socket.terminate());

  /** Resolves with the first value that `look` finds, now or later. */
  const until = <T>(look: () => T | undefined, what: string, withinMs = 30_000): Promise<T> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(check);
        reject(new Error(`${what} did not come; frames: ${frames.map((frame) => frame.type).join(' ')}`));
      }, withinMs);
      const check = (): void => {
        const found = look();
        if (found === undefined) return;
        clearTimeout(timer);
        watchers.delete(check);
        resolve(found);
      };
      watchers.add(check);
      check();
    });

  return {
    socket,
    frames,
    send: (frame: object | string): void => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    opened: (): Promise<void> =>
      new Promise((resolve, reject) => {
        if (socket.readyState === WebSocket.OPEN) return resolve();
        socket.once('open', resolve);
        socket.once('close', () => reject(new Error('closed before it opened')));
      }),
    closed: (withinMs?: number) => until(() => closed, 'the close', withinMs),
    refused: () => until(() => refused, 'the refusal'),
    isClosed: (): boolean => closed !== undefined,
    /** The n-th frame of a type (1 is the first). */
    frame: (type: string, n = 1, withinMs?: number): Promise<Frame> =>
      until(() => frames.filter((frame) => frame.type === type)[n - 1], `frame ${type} number ${n}`, withinMs),
    command: (n = 1, withinMs?: number): Promise<CommandFrame> =>
      until(
        () => frames.filter((frame): frame is CommandFrame => frame.type === 'command')[n - 1],
        `command number ${n}`,
        withinMs,
      ),
    until,
    kill: (): void => socket.terminate(),
  };
};
export type RawBridge = ReturnType<typeof openRaw>;

/** A raw bridge that has been welcomed. */
export const welcomeRaw = async (
  url: string,
  token: string,
  changes: Record<string, unknown> = {},
): Promise<RawBridge> => {
  const bridge = openRaw(url, token);
  await bridge.opened();
  bridge.send(helloFrame(changes));
  await bridge.frame('welcome');
  return bridge;
};

/** Answers every command with the result of `reply`. */
export const answerAll = (bridge: RawBridge, reply: (command: CommandFrame) => object | undefined): void => {
  bridge.socket.on('message', (data) => {
    const frame = JSON.parse(data.toString()) as Frame;
    if (frame.type !== 'command') return;
    const answer = reply(frame as CommandFrame);
    if (answer !== undefined) bridge.send({ type: 'result', id: frame['id'], ...answer });
  });
};

/** Reports these as all players of a new session, and waits until the hub knows the last of them. */
export const reportPlayers = async (
  hub: Pick<TestHub, 'request'>,
  bridge: RawBridge,
  ...players: { identifier: string }[]
): Promise<void> => {
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
  const path = `/api/v2/players/${encodeURIComponent(players.at(-1)?.identifier ?? '')}`;
  await expect.poll(async () => (await hub.request(path)).status, { interval: 40, timeout: 30_000 }).toBe(200);
};
