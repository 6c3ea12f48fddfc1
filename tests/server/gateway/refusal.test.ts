import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { drainingOf, writeRefusal } from '../../../server/gateway/door.ts';

/** More than the buffers of the kernel take for a caller that reads nothing. */
const TOO_MUCH = Buffer.alloc(32 * 1024 * 1024);

it('a refused handshake is cut off after ten seconds when its caller reads nothing', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  onTestFinished(() => {
    vi.useRealTimers();
    caller.destroy();
    server.close();
  });
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.write(TOO_MUCH);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  writeRefusal(socket, drainingOf({ engine: 'local' }));
  vi.advanceTimersByTime(9_999);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
});
