import { join } from 'node:path';
import { describe, it } from 'vitest';
import { openWorkplace, SLOW } from '../../kit/cli.ts';
import { createFakeHub, serveFakeHub } from '../../kit/fake-hub.ts';

const LONE_BRIDGE = join(import.meta.dirname, '../../kit/lone-bridge.ts');

/** A hub that welcomes each bridge and tells it that another instance has taken over. */
const openReplacingHub = async (atEnd: (dispose: () => void) => void) => {
  const hub = createFakeHub();
  hub.behaviour.replaces = true;
  return { ...(await serveFakeHub(hub, atEnd)), seen: hub.sockets };
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
