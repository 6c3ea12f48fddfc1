import type { OpenSocket } from '../../bridge-protocol/client/bridge.ts';

/**
 * What happened at a game server. `atMs` is of the monotonic clock, which every process of a machine shares;
 * `connection` counts the sockets of a process.
 */
export type GameEvent = { server: string; atMs: number; wallMs: number } & (
  | { event: 'hello'; connection: number }
  /** `hubMs`: the hub's clock, as its welcome says. */
  | { event: 'welcome'; connection: number; hubMs: number }
  | { event: 'closed'; connection: number; code: number }
  /** A command begins to hang in its handler. */
  | { event: 'hangs'; id: string }
);
type Happening = GameEvent extends infer E ? (E extends GameEvent ? Omit<E, 'atMs' | 'wallMs'> : never) : never;

export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Tells the process that started this one. */
export const tell = (happening: Happening): void => {
  process.send?.({ ...happening, atMs: monotonicMs(), wallMs: Date.now() });
};

let connections = 0;

/** Sockets that tell when hello leaves, when welcome arrives and when they close. */
export const telling =
  (server: string, open: OpenSocket): OpenSocket =>
  (events) => {
    connections += 1;
    const connection = connections;
    const socket = open({
      open: () => events.open(),
      refused: (refusal) => events.refused(refusal),
      message: (frame) => {
        if (frame.startsWith('{"type":"welcome"')) {
          const { now }: { now: number } = JSON.parse(frame);
          tell({ event: 'welcome', server, connection, hubMs: now });
        }
        events.message(frame);
      },
      close: (code, reason) => {
        tell({ event: 'closed', server, connection, code });
        events.close(code, reason);
      },
    });
    return {
      send: (frame) => {
        if (frame.startsWith('{"type":"hello"')) tell({ event: 'hello', server, connection });
        socket.send(frame);
      },
      close: (code, reason) => socket.close(code, reason),
      terminate: () => socket.terminate(),
      get bufferedAmount() {
        return socket.bufferedAmount;
      },
    };
  };

/** Whether an event is of this kind and server. */
export const isEvent =
  <K extends GameEvent['event']>(kind: K, server: string) =>
  (event: GameEvent): event is Extract<GameEvent, { event: K }> =>
    event.event === kind && event.server === server;
