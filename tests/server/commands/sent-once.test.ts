import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { welcomeRaw } from '../../kit/raw-bridge.ts';

const paid = { status: 'done', data: { account: 'bank', before: 0, after: 5 } };

describe('a command', () => {
  it('is sent once for each attempt, though the hub reads its row as unsent and takes it late', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const pay = (target: string) =>
      hub.request('/api/v2/bridge/main/money', {
        json: { target, type: 'bank', amount: 5, action: 'add' },
        headers: { Prefer: 'respond-async' },
      });
    await pay('char1:ana');
    const first = await bridge.command(1);
    // It waits behind the first one, so its row is read as accepted.
    const { body } = await pay('char1:ana');
    let answerReads = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      answerReads = resolve;
    });
    const looked = hub.holdAnswers(until, () => hub.hub.commands.restore());
    bridge.send({ type: 'result', id: first.id, ...paid });
    expect((await bridge.command(2)).id).toBe(body['id']);
    // The bridge has answered, and the outcome is not stored yet.
    hub.stopAt({ statement: 'commands.settleKnown', when: 'before' });
    bridge.send({ type: 'result', id: body['id'], ...paid });
    await expect.poll(hub.hasStopped).toBe(true);
    answerReads();
    await looked;
    await pay('char1:ben');
    await bridge.command(3);
    const sent = bridge.frames.filter(({ type }) => type === 'command');
    expect(sent.filter(({ id }) => id === body['id'])).toHaveLength(1);
    await hub.crash();
  });
});
