import { onTestFinished, vi } from 'vitest';
import {
  type BridgeMessage,
  type BridgeOptions,
  createBridge,
  decodeBridgeMessage,
  encode,
  type HubMessage,
  LIMITS,
  type MessageOf,
  memoryJournal,
  type OpenSocket,
  type SocketEvents,
} from '../../bridge-protocol/index.ts';

/** One socket as the hub sees it. What the bridge sends is decoded, so nothing invalid goes unnoticed. */
const createHubSocket = (events: SocketEvents, onMessage: (message: BridgeMessage) => void) => {
  const messages: BridgeMessage[] = [];
  const frames: string[] = [];
  const ending = { terminated: false, closed: undefined as { code: number; reason: string } | undefined };
  return {
    events,
    messages,
    frames,
    ending,
    buffered: { bytes: 0 },
    send: (message: HubMessage): void => events.message(encode(message)),
    of: <T extends BridgeMessage['type']>(type: T): MessageOf<BridgeMessage, T>[] =>
      messages.filter((message): message is MessageOf<BridgeMessage, T> => message.type === type),
    take: (frame: string): void => {
      frames.push(frame);
      const message = decodeBridgeMessage(frame);
      messages.push(message);
      onMessage(message);
    },
  };
};
export type HubSocket = ReturnType<typeof createHubSocket>;

/** A hub without a network: accepts every socket, welcomes every hello unless told otherwise. */
export const createFakeHub = ({ now = Date.now }: { now?: () => number } = {}) => {
  const sockets: HubSocket[] = [];
  const behaviour = { opens: true, welcomes: true, byes: true };

  const welcome = (socket: HubSocket): void =>
    socket.send({
      type: 'welcome',
      session: `ses_${sockets.indexOf(socket) + 1}`,
      epoch: sockets.indexOf(socket) + 1,
      now: now(),
      ping: { everyMs: 15_000, timeoutMs: 10_000 },
      limits: { frameBytes: LIMITS.frameBytes, inFlight: LIMITS.inFlight },
    });

  const onMessage = (socket: HubSocket, message: BridgeMessage): void => {
    if (message.type === 'hello' && behaviour.welcomes) queueMicrotask(() => welcome(socket));
    if (message.type === 'bye' && behaviour.byes) queueMicrotask(() => socket.events.close(1000, ''));
  };

  const openSocket: OpenSocket = (events) => {
    const socket: HubSocket = createHubSocket(events, (message) => onMessage(socket, message));
    sockets.push(socket);
    if (behaviour.opens) queueMicrotask(() => events.open());
    return {
      send: socket.take,
      close: (code, reason) => {
        socket.ending.closed = { code, reason };
        queueMicrotask(() => events.close(code, reason));
      },
      terminate: () => {
        socket.ending.terminated = true;
        queueMicrotask(() => events.close(1006, ''));
      },
      get bufferedAmount() {
        return socket.buffered.bytes;
      },
    };
  };

  return {
    openSocket,
    sockets,
    behaviour,
    welcome,
    /** The socket number `nth` (from 0), once it exists. */
    socket: (nth: number): Promise<HubSocket> => until(() => sockets[nth]),
  };
};
export type FakeHub = ReturnType<typeof createFakeHub>;

/** Waits for a value that is not undefined. */
export const until = <T>(look: () => T | undefined): Promise<T> =>
  vi.waitFor(
    () => {
      const value = look();
      if (value === undefined) throw new Error('not yet');
      return value;
    },
    { interval: 2, timeout: 10_000 },
  );

/** Waits until a check passes. */
export const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { interval: 2, timeout: 10_000 });

/** A bridge at a fake hub; both end with the test. Times are short unless given. */
export const startBridge = (
  hub: FakeHub,
  { timings, ...options }: Partial<BridgeOptions> = {},
): ReturnType<typeof createBridge> => {
  const bridge = createBridge({
    openSocket: hub.openSocket,
    software: { name: 'test-bridge', version: '1.0.0' },
    journal: memoryJournal({ class: 'durable' }),
    commands: {},
    accounts: ['bank', 'cash'],
    random: () => 0.5,
    timings: { reconnectBaseMs: 2, reconnectMaxMs: 8, ...timings },
    ...options,
  });
  onTestFinished(() => bridge.stop());
  bridge.start();
  return bridge;
};

let commands = 0;

type CommandFrame = MessageOf<HubMessage, 'command'>;

/** A money command for `target`, valid for 30 s. */
export const money = (more: Partial<CommandFrame> & { target?: string } = {}): CommandFrame => {
  const { target = 'char1:ana', ...frame } = more;
  commands += 1;
  return {
    type: 'command',
    id: `cmd_${commands}`,
    name: 'money',
    params: { target, type: 'bank', amount: 500, action: 'add', allowNegative: false },
    fingerprint: `fp_${commands}`,
    expiresAt: Date.now() + 30_000,
    attempt: 1,
    ...frame,
  };
};

/** A kick of `target`, valid for 10 s. */
export const kick = (more: Partial<CommandFrame> & { target?: string } = {}): CommandFrame => {
  const { target = 'char1:ana', ...frame } = more;
  const base = money(frame);
  return { ...base, name: 'kick', params: { target, reason: 'Be nice.' }, ...frame };
};

/** A promise and the function that fulfils it. */
export const createGate = () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};
