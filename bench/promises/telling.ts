import type { OpenSocket } from '../../bridge-protocol/client/bridge.ts';

/**
 * An event at a game server. `atMs` is monotonic time, which all processes of a machine share; `connection` counts the
 * sockets of a process.
 */
export type GameEvent = { server: string; atMs: number; wallMs: number } & (
  | { event: 'hello'; connection: number }
  /** `hubMs`: the hub's clock from its welcome. */
  | { event: 'welcome'; connection: number; hubMs: number }
  | { event: 'closed'; connection: number; code: number }
  /** A command's handler begins to hang. */
  | { event: 'hangs'; id: string }
);
type Happening = GameEvent extends infer E ? (E extends GameEvent ? Omit<E, 'atMs' | 'wallMs'> : never) : never;

export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Reports an event to the parent process. */
export const tell = (happening: Happening): void => {
  process.send?.({ ...happening, atMs: monotonicMs(), wallMs: Date.now() });
};

let connections = 0;

/** Sockets that report the departure of hello, the arrival of welcome, and the close. */
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

/** Whether an event has this kind and server. */
export const isEvent =
  <K extends GameEvent['event']>(kind: K, server: string) =>
  (event: GameEvent): event is Extract<GameEvent, { event: K }> =>
    event.event === kind && event.server === server;
