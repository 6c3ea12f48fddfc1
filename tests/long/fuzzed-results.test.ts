import { describe, expect, it } from 'vitest';
import { decodeBridgeMessage } from '../../bridge-protocol/index.ts';
import { createRandom } from '../../simulator/random.ts';
import { openArena } from '../kit/arena.ts';
import { createFuzzedResults } from '../kit/fuzzed-results.ts';
import { type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';

const FRAMES = 20_000;
const TRUTHS = 40;
const KEPT_STRAYS = 4_096;
const SEED = 20_261_121;
const LATER = { Prefer: 'respond-async' };

const acknowledged = (bridge: RawBridge): number =>
  bridge.frames.reduce((sum, { type, ids }) => sum + (type === 'ack' && Array.isArray(ids) ? ids.length : 0), 0);

describe('20,000 results that are no truths', () => {
  it('settle nothing, close nothing, do not fill the disk, and each is acknowledged', async () => {
    const { hub, closes } = await openArena();
    const money = async (server: string, target: string, headers = LATER): Promise<string> => {
      const json = { target, type: 'bank', amount: 5, action: 'add', expiresInSeconds: 3600 };
      return (await hub.request(`/api/v2/bridge/${server}/money`, { json, headers })).body.id ?? '';
    };
    const statusOf = async (id: string) => (await hub.request(`/api/v2/commands/${id}`)).body;
    const other = await welcomeRaw(hub.bridgeUrl, await hub.newServer('other'));
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const openElsewhere = [await money('other', 'ana')];
    const inFlight = await money('main', 'ana');
    await Promise.all([other.command(), bridge.command()]);
    other.send({ type: 'received', ids: openElsewhere });
    bridge.send({ type: 'received', ids: [inFlight] });
    const waiting = [await money('main', 'ana'), await money('main', 'ana')];

    const settled: string[] = [];
    const fuzz = createFuzzedResults({ random: createRandom(SEED), ids: { openElsewhere, waiting, settled } });
    for (let n = 1; n <= FRAMES; n += 1) {
      const frame = fuzz.next();
      decodeBridgeMessage(JSON.stringify(frame));
      bridge.send(frame);
      if (n % (FRAMES / TRUTHS) > 0) continue;
      const id = await money('main', `player-${n}`);
      await bridge.command(settled.length + 2);
      bridge.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: n, after: n + 5 } });
      bridge.send({ type: 'result', id, status: 'rejected', error: { code: 'insufficient_funds', message: 'No.' } });
      settled.push(id);
    }
    await expect.poll(() => acknowledged(bridge), { timeout: 8_000 }).toBe(FRAMES + 2 * TRUTHS);

    expect([bridge.isClosed(), other.isClosed()]).toEqual([false, false]);
    expect(await closes('protocol_violation')).toBe(0);
    for (const [index, id] of settled.entries()) {
      const before = ((index + 1) * FRAMES) / TRUTHS;
      expect(await statusOf(id)).toMatchObject({ status: 'succeeded', result: { before, after: before + 5 } });
    }
    for (const id of [inFlight, ...openElsewhere]) expect(await statusOf(id)).toMatchObject({ status: 'dispatched' });
    for (const id of waiting) expect(await statusOf(id)).toMatchObject({ status: 'accepted' });
    for (const [index, id] of [inFlight, ...waiting].entries()) {
      if (index > 0) expect((await bridge.command(settled.length + 1 + index)).id).toBe(id);
      bridge.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: index, after: index + 5 } });
      await expect.poll(() => statusOf(id)).toMatchObject({ status: 'succeeded', result: { before: index } });
    }
    const kept = await hub.store.strayResults.list(hub.project.id, 'main', FRAMES);
    expect(kept.length).toBeGreaterThan(1_000);
    expect(kept.length).toBeLessThanOrEqual(KEPT_STRAYS);
  });
});
