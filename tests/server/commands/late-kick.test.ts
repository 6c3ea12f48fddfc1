import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { commandsOf, eventually, listen } from '../../kit/stage.ts';

const journal = { class: 'durable', id: 'kept', sequence: 0 };
const KICKED = { status: 'done', data: { kicked: true } };

/** A kick whose game server ends while it works on it; `again` welcomes the next process of that server. */
const open = async () => {
  const hub = await startHub();
  const first = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one', journal });
  const events = await listen(hub, 'command.settled');
  const answer = hub.request('/api/v2/bridge/main/kick', { json: { target: 'char1:ana' } });
  const { id } = await first.command();
  first.kill();
  await eventually(() => hub.sizes().sessions).toBe(0);
  const again = (changes: object = {}): Promise<RawBridge> =>
    welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'two', journal, ...changes });
  const stored = async () => (await commandsOf(hub))[0];
  return { hub, id, answer, again, stored, events };
};

type Ranged = { ended: Record<'succeeded' | 'unknown', number> | null };

describe('a kick whose game server restarted', () => {
  it('is indeterminate at once, before the new process gets its first command', async () => {
    const { hub, id, answer, again, events } = await open();
    const bridge = await again();
    const other = hub.request('/api/v2/bridge/main/kick', { json: { target: 'char1:ben' } });
    const { id: next } = await bridge.command();
    bridge.send({ type: 'result', id: next, ...KICKED });
    expect(await answer).toMatchObject({ status: 409, body: { code: 'indeterminate', command: { id } } });
    expect((await other).status).toBe(200);
    await eventually(events).toMatchObject([
      { id, status: 'indeterminate' },
      { id: next, status: 'succeeded' },
    ]);
    expect((await commandsOf(hub)).find((row) => row.id === id)).toMatchObject({ executed: 'unknown' });
  });

  it('is settled by a later report of the new process', async () => {
    for (const changes of [{}, { journal: { ...journal, id: 'new' } }]) {
      const { id, answer, again, stored } = await open();
      const bridge = await again(changes);
      await answer;
      bridge.send({ type: 'result', id, ...KICKED });
      await eventually(stored).toMatchObject({ status: 'succeeded', executed: 'yes', result: { kicked: true } });
    }
  });

  it('then has two events, and is counted once by charts and metrics', async () => {
    const { hub, id, answer, again, events } = await open();
    const bridge = await again();
    await answer;
    bridge.send({ type: 'result', id, ...KICKED });
    await eventually(events).toMatchObject([
      { id, status: 'indeterminate' },
      { id, status: 'succeeded' },
    ]);
    const text = await (await fetch(`${hub.address}/metrics`)).text();
    expect(text.match(/^causeway_commands_settled_total\{.* [1-9]\d*$/gm)).toEqual([
      'causeway_commands_settled_total{name="kick",status="indeterminate"} 1',
    ]);
    const { body } = await hub.request('/api/v2/statistics');
    const counts = (body['points'] as Record<string, number>[]).filter(
      (point) => point['succeeded'] || point['unknown'],
    );
    expect(counts).toMatchObject([{ succeeded: 0, unknown: 1 }]);
    const { points } = (await hub.request('/api/v2/statistics?range=24h')).body as { points: Ranged[] };
    const sumOf = (name: 'succeeded' | 'unknown') => points.reduce((sum, { ended }) => sum + (ended?.[name] ?? 0), 0);
    expect([sumOf('succeeded'), sumOf('unknown')]).toEqual([0, 1]);
  });
});
