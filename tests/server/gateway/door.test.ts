import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAdmissionBatches, drainingOf, writeRefusal } from '../../../server/gateway/door.ts';

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

describe('admission in batches', () => {
  it('admits many requests in order, in batches, with turns of the event loop in between', async () => {
    const admitted = createAdmissionBatches();
    const passed: number[] = [];
    const passedByTurn: number[] = [];
    const all = Promise.all(Array.from({ length: 200 }, (_, n) => admitted().then(() => passed.push(n))));
    while (passed.length < 200) {
      await nextTurn();
      passedByTurn.push(passed.length);
    }
    await all;
    expect(passed).toEqual(Array.from({ length: 200 }, (_, n) => n));
    const atOnce = passedByTurn.map((count, n) => count - (passedByTurn[n - 1] ?? 0));
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(32);
  });

  it('admits a single request without a timer', async () => {
    const admitted = createAdmissionBatches();
    let hasPassed = false;
    const alone = admitted().then(() => {
      hasPassed = true;
    });
    await nextTurn();
    expect(hasPassed).toBe(true);
    await alone;
  });
});
