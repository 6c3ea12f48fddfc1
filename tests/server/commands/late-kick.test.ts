import { describe, expect, it } from 'vitest';
import { startHub } from '../../testkit/hub.ts';
import { type RawBridge, welcomeRaw } from '../../testkit/raw-bridge.ts';
import { commandsOf, eventually } from '../../testkit/stage.ts';

const journal = { class: 'durable', id: 'kept', sequence: 0 };
const KICKED = { status: 'done', data: { kicked: true } };

/** A kick whose game server ends while it works on it; `again` welcomes the next process of that server. */
const open = async () => {
  const hub = await startHub();
  const first = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one', journal });
  const answer = hub.request('/api/v2/bridge/main/kick', { json: { target: 'char1:ana' } });
  const { id } = await first.command();
  first.kill();
  await eventually(() => hub.sizes().sessions).toBe(0);
  const again = (changes: object = {}): Promise<RawBridge> =>
    welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'two', journal, ...changes });
  const stored = async () => (await commandsOf(hub))[0];
  return { hub, id, answer, again, stored };
};

describe('a kick whose game server restarted', () => {
  it.each([
    ['the journal from before', {}],
    ['a new journal', { journal: { ...journal, id: 'new' } }],
  ])('is settled by what the new process reports after its welcome, with %s', async (_, changes) => {
    const { id, answer, again, stored } = await open();
    const bridge = await again(changes);
    bridge.send({ type: 'result', id, ...KICKED });
    bridge.send({ type: 'status' });
    expect(await answer).toMatchObject({ status: 200, body: { id, executed: 'yes' } });
    expect(await stored()).toMatchObject({ status: 'succeeded', result: { kicked: true } });
  });

  it('is indeterminate when the new process reports its state first', async () => {
    const { id, answer, again, stored } = await open();
    const bridge = await again();
    await eventually(async () => (await stored())?.['status']).toBe('indeterminate');
    bridge.send({ type: 'status' });
    expect(await answer).toMatchObject({ status: 409, body: { code: 'indeterminate', command: { id } } });
    // Late, and still a fact.
    bridge.send({ type: 'result', id, ...KICKED });
    await eventually(async () => (await stored())?.['status']).toBe('succeeded');
  });

  it('is indeterminate when the new process goes again, and for one that never says how it is', async () => {
    for (const leave of [(bridge: RawBridge) => bridge.kill(), () => undefined]) {
      const { id, answer, again } = await open();
      leave(await again());
      expect(await answer).toMatchObject({ status: 409, body: { code: 'indeterminate', command: { id } } });
    }
  }, 15_000);

  it('is counted once', async () => {
    const { hub, id, answer, again } = await open();
    const bridge = await again();
    bridge.send({ type: 'result', id, ...KICKED });
    bridge.send({ type: 'status' });
    await answer;
    const text = await (await fetch(`${hub.address}/metrics`)).text();
    expect(text.match(/^causeway_commands_settled_total\{.* [1-9]\d*$/gm)).toEqual([
      'causeway_commands_settled_total{name="kick",status="succeeded"} 1',
    ]);
  });
});
