import { afterAll, describe, expect, it } from 'vitest';
import type { Bus, BusMessage, Handlers } from '../../../server/cluster/bus.ts';
import { connectNats } from '../../../server/cluster/bus-nats.ts';
import { natsUrl } from '../../cluster/cluster.ts';
import { silentLog } from '../../kit/silent-log.ts';

const VOID: BusMessage = { type: 'void', projectId: 'p', serverId: 'main', id: 'cmd_1' };
const FORGET: BusMessage = { type: 'forget' };

describe.runIf(natsUrl !== undefined)('nodes over NATS', () => {
  const log = silentLog();
  const buses: Bus[] = [];
  afterAll(async () => {
    for (const bus of buses) await bus.close();
  });

  /** A node that records its messages; its answer to `void` is given. */
  const node = async (id: string, answer: () => unknown = () => undefined) => {
    const bus = await connectNats({ url: natsUrl ?? '', cluster: 'test', name: id, log });
    buses.push(bus);
    const heard: BusMessage[] = [];
    const note = (message: BusMessage): unknown => {
      heard.push(message);
      return answer();
    };
    const types = ['run', 'void', 'read', 'reports', 'custom', 'fence', 'dismiss', 'close', 'forget', 'event'] as const;
    const handlers = Object.fromEntries(types.map((type) => [type, note])) as Handlers;
    bus.listen(id, { handlers, lost: () => undefined });
    return { bus, heard };
  };

  it('ask one another, and get the answer of the one that was asked', async () => {
    const a = await node('a1');
    await node('b1', () => 'from b');
    const c = await node('c1', () => ({ from: 'c' }));
    await expect.poll(() => a.bus.ask('b1', VOID, 1_000)).toEqual({ answer: 'from b' });
    await expect.poll(() => a.bus.ask('c1', VOID, 1_000)).toEqual({ answer: { from: 'c' } });
    expect(c.heard).toEqual([VOID]);
  });

  it('know at once when no node answers', async () => {
    const { bus } = await node('a2');
    const from = performance.now();
    expect(await bus.ask('absent', VOID, 10_000)).toBe('no_responders');
    // Silence would be waited for all that time.
    expect(performance.now() - from).toBeLessThan(9_000);
  });

  it('do not take silence for an answer', async () => {
    const a = await node('a3');
    const b = await node('b3', () => new Promise(() => undefined));
    await expect.poll(() => a.bus.ask('b3', VOID, 50)).toBe('timeout');
    await expect.poll(() => b.heard.length).toBeGreaterThan(0);
  });

  it('get each broadcast once, and not their own', async () => {
    const [a, b, c] = await Promise.all([node('a4'), node('b4'), node('c4')]);
    await expect.poll(() => a.bus.ask('b4', VOID, 500)).not.toBe('no_responders');
    await expect.poll(() => a.bus.ask('c4', VOID, 500)).not.toBe('no_responders');
    a.bus.spread(FORGET);
    const forgets = (heard: readonly BusMessage[]): number => heard.filter(({ type }) => type === 'forget').length;
    await expect.poll(() => [forgets(b.heard), forgets(c.heard)]).toEqual([1, 1]);
    expect(forgets(a.heard)).toBe(0);
  });

  it('are unknown once they have closed', async () => {
    const a = await node('a5');
    const b = await node('b5');
    await b.bus.close();
    expect(await a.bus.ask('b5', VOID, 1_000)).toBe('no_responders');
  });

  it('ignore unknown messages', async () => {
    const a = await node('a6');
    const b = await node('b6', () => 'heard');
    await expect.poll(() => a.bus.ask('b6', VOID, 500)).toEqual({ answer: 'heard' });
    const strange = { type: 'void', projectId: 7 } as unknown as BusMessage;
    expect(await a.bus.ask('b6', strange, 500)).toSatisfy((reply) => (reply as { answer: unknown }).answer == null);
    expect(b.heard).not.toContainEqual(strange);
  });
});
