import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { openWorkplace, SLOW } from '../support/cli.ts';

const LONE_BRIDGE = join(import.meta.dirname, '../support/lone-bridge.ts');
const WELCOME = JSON.stringify({
  type: 'welcome',
  session: 'ses_1',
  epoch: 1,
  now: 0,
  ping: { everyMs: 15_000, timeoutMs: 10_000 },
  limits: { frameBytes: 262_144, inFlight: 32 },
});

/** A hub that welcomes each bridge and tells it that another instance has taken over. */
const openReplacingHub = async (atEnd: (dispose: () => void) => void) => {
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => 'causeway.v1' });
  const seen: WebSocket[] = [];
  sockets.on('connection', (socket) => {
    seen.push(socket);
    socket.once('message', () => {
      socket.send(WELCOME);
      socket.close(4509, '{"code":"replaced"}');
    });
  });
  atEnd(() => sockets.close());
  await once(sockets, 'listening');
  const address = sockets.address();
  return { url: `ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/bridge`, seen };
};

describe.concurrent('after 4509, so that no supervisor starts it again,', SLOW, () => {
  it('a process with the reference bridge stays alive and idle', async ({ expect, onTestFinished }) => {
    const { url, seen } = await openReplacingHub(onTestFinished);
    const bridge = openWorkplace(onTestFinished, LONE_BRIDGE).start([url]);
    await bridge.line(/^stopped: closed with 4509 \(replaced\)$/m);
    await bridge.line(/^still alive$/m);
    expect(seen).toHaveLength(1);
    expect(await bridge.stop()).toMatchObject({ code: 0 });
  });

  it('the simulated game server stays alive and idle, and says why', async ({ expect, onTestFinished }) => {
    const { url, seen } = await openReplacingHub(onTestFinished);
    const { start } = openWorkplace(onTestFinished);
    const game = start(['bridge', 'simulate', '--url', url, '--token', 'cwb_x', '--players', '1']);
    await game.line(/another bridge with this token has taken over.*stays idle/);
    expect(seen).toHaveLength(1);
    expect(await game.stop()).toMatchObject({ code: 0, stderr: '' });
  });
});
