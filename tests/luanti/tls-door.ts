import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import tls from 'node:tls';
import { atEnd } from '../kit/ends.ts';
import { SELF_SIGNED } from '../kit/self-signed.ts';

/** TLS before a hub, as a proxy does it, with a certificate that no system trusts. */
export const openTlsDoor = async (port: number) => {
  let heard = 0;
  const door = tls.createServer(SELF_SIGNED, (socket) => {
    const hub = connect(port, '127.0.0.1');
    socket.on('data', (data) => {
      heard += data.length;
    });
    for (const each of [socket, hub]) each.on('error', () => each.destroy());
    socket.pipe(hub).pipe(socket);
  });
  door.on('tlsClientError', () => undefined);
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  atEnd(() => door.close());
  const { port: own } = door.address() as AddressInfo;
  return { url: `wss://localhost:${own}/bridge`, heard: () => heard, certificate: SELF_SIGNED.cert };
};
