import { connectCauseway, type Identity } from './bridges.ts';
import { connectRaw, type RawClient } from './raw-websocket.ts';

/** One bridge of a herd before its connection. `onClose` is called at any end of its connection. */
export type Dial = {
  port: number;
  server: string;
  token: string;
  identity: Identity;
  address?: string;
  onClose: () => void;
};

type Kind = (dial: Dial) => Promise<RawClient>;

const connectPlain: Kind = ({ server, ...dial }) =>
  connectRaw({ ...dial, path: '/bridge', headers: { 'X-Server': server }, onText: () => undefined });

/** The parts of Engine.IO 4 and Socket.IO 5 that a connection with heartbeats needs. */
const connectSocketIo: Kind = ({ server, onClose, ...dial }) =>
  new Promise((resolve, reject) => {
    const onText = (text: string, client: RawClient): void => {
      if (text === '2') client.say('3');
      else if (text.startsWith('0')) client.say(`40${JSON.stringify({ server })}`);
      else if (text.startsWith('40')) resolve(client);
    };
    connectRaw({
      ...dial,
      path: '/socket.io/?EIO=4&transport=websocket',
      onText,
      onClose: () => {
        reject(new Error('closed before it was connected'));
        onClose();
      },
    }).catch(reject);
  });

/** Connects one bridge of a herd with less code than the clients that answer commands. Resolves when it is welcomed. */
export const HERD_KINDS = {
  causeway: connectCauseway,
  json: connectPlain,
  'socket.io': connectSocketIo,
} satisfies Record<string, Kind>;
export type HerdKind = keyof typeof HERD_KINDS;
