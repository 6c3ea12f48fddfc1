import { WebSocket } from 'ws';
import type { Launcher } from '../../conformance/stage/launcher.ts';
import { helloFrame } from '../kit/frames.ts';

/** Called with each open connection of a raw bridge. */
export type Manner = (socket: WebSocket) => void;

export const HELLO = JSON.stringify(
  helloFrame({ instance: 'raw', journal: { class: 'saved', id: 'raw', sequence: 0 } }),
);

/** A bridge that knows nothing: it dials again whenever it is closed. */
export const launchRaw = (manner: Manner): Launcher => {
  let stop = (): void => {};
  return {
    start: ({ url }) => {
      let socket: WebSocket | undefined;
      let timer: NodeJS.Timeout | undefined;
      const dial = (): void => {
        const opened = new WebSocket(url, ['causeway.v1'], { headers: { Authorization: 'Bearer cwb_x' } });
        socket = opened;
        opened.on('error', () => {});
        opened.on('open', () => manner(opened));
        opened.on('close', () => {
          timer = setTimeout(dial, 10);
        });
      };
      stop = () => {
        socket?.removeAllListeners('close');
        socket?.terminate();
        clearTimeout(timer);
      };
      dial();
    },
    kill: async () => stop(),
    ended: () => undefined,
    tail: () => '',
  };
};
