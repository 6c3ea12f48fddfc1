import { describe, expect, it } from 'vitest';
import { newFolder } from '../../kit/folder.ts';
import { createEconomy, type Economy, startGameServer } from '../../kit/game-server.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { ANA, createGate } from '../../kit/stage.ts';

const money = (hub: TestHub, target: string, amount: number, headers: Record<string, string> = {}, action = 'add') =>
  hub.request('/api/v2/bridge/main/money', { json: { target, type: 'bank', amount, action }, headers });

const welcomed = async (hub: TestHub): Promise<void> => {
  await expect
    .poll(async () => (await hub.request('/api/v2/servers/main')).body['connected'], { timeout: 10_000 })
    .toBe(true);
};

const connected = async (economy: Economy, before?: (target: string) => Promise<void>) => {
  const hub = await startHub();
  const folder = newFolder();
  let current = hub;
  const options = { url: () => current.bridgeUrl, token: hub.token, folder, economy };
  const game = startGameServer({ ...options, ...(before && { before }) });
  await welcomed(hub);
  /** The hub's next process: the same database, another port. */
  const restart = async (): Promise<TestHub> => {
    await hub.stop();
    current = await startHub({ folder: hub.folder });
    return current;
  };
  return { hub, game, folder, options, restart };
};

describe('a real bridge', () => {
  it('shows its players, with a fresh record on demand', async () => {
    const economy = createEconomy({ [ANA]: 1000, 'char2:bo': 50 });
    const { hub } = await connected(economy);
    await expect.poll(async () => (await hub.request('/api/v2/players')).body['data']).toHaveLength(2);
    const found = await hub.request(`/api/v2/players/${encodeURIComponent(ANA)}`);
    expect(found.body).toMatchObject({ online: true, accounts: { bank: 1000 }, metadata: { job: 'police' } });
    economy.banks.set(ANA, 7);
    const fresh = { headers: { 'Cache-Control': 'no-cache' } };
    expect((await hub.request(`/api/v2/players/${ANA}`, fresh)).body['accounts']).toEqual({ bank: 7 });
    expect((await hub.request('/api/v2/players/license:char1-ana')).body['identifier']).toBe(ANA);
  });

  it('kicks, gives and deducts, and the answers are true', async () => {
    const economy = createEconomy({ [ANA]: 1000 });
    const { hub } = await connected(economy);
    const kicked = await hub.request('/api/v2/bridge/main/kick', { json: { target: ANA } });
    expect(kicked.status).toBe(200);
    expect(economy.kicked).toEqual([ANA]);
    expect((await money(hub, ANA, 500)).body['result']).toEqual({ account: 'bank', before: 1000, after: 1500 });
    expect((await money(hub, ANA, 1500, {}, 'deduct')).body['result']).toMatchObject({ after: 0 });
    const refused = await money(hub, ANA, 1, {}, 'remove');
    expect(refused).toMatchObject({ status: 409, body: { code: 'insufficient_funds', executed: 'no', balance: 0 } });
    expect((await money(hub, 'char9:nobody', 1)).body.code).toBe('player_not_found');
    await expect.poll(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['accounts']).toEqual({ bank: 0 });
  });

  it('applies each of 250 commands once, in the order of each player', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `char1:p${n}`);
    const economy = createEconomy(Object.fromEntries(names.map((name) => [name, 0])));
    const { hub } = await connected(economy);
    // More than 256 that wait for one bridge are refused.
    const amounts = Array.from({ length: 25 }, (_, n) => n + 1);
    const answers = await Promise.all(
      names.map(async (name) => {
        const sent = amounts.map((amount) => money(hub, name, amount));
        return Promise.all(sent);
      }),
    );
    expect(answers.flat().map(({ status }) => status)).toEqual(Array(250).fill(200));
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    expect([...economy.banks.values()]).toEqual(Array(10).fill(sum));
    expect(new Set(economy.applied.map(({ id }) => id)).size).toBe(250);
    // One in flight per player: each answer's `before` is the `after` of the one before it.
    for (const name of names) {
      const page = await hub.request(`/api/v2/commands?target=${encodeURIComponent(name)}&limit=100`);
      const rows = (page.body['data'] as { id: string }[]).map(({ id }) => id).reverse();
      const applied = economy.applied.filter(({ target }) => target === name).map(({ id }) => id);
      // PostgreSQL numbers concurrent inserts in any order.
      if (onPostgres) expect(applied.sort()).toEqual(rows.sort());
      else expect(applied).toEqual(rows);
    }
  });

  it('pays once for a request that is repeated at the same time and later', async () => {
    const economy = createEconomy({ [ANA]: 0 });
    const { hub } = await connected(economy);
    const key = { 'Idempotency-Key': 'payday-1' };
    const all = await Promise.all(Array.from({ length: 20 }, () => money(hub, ANA, 100, key)));
    all.push(await money(hub, ANA, 100, key));
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(all.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(20);
    expect(economy.banks.get(ANA)).toBe(100);
    const other = await money(hub, ANA, 200, key);
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch', executed: 'no' } });
  });

  it('that works while the hub restarts has its outcome stored by the next one, once', async () => {
    const economy = createEconomy({ [ANA]: 0 });
    const gate = createGate();
    const { hub, restart } = await connected(economy, gate.pass);
    const asked = await money(hub, ANA, 100, { Prefer: 'respond-async', 'Idempotency-Key': 'a' });
    expect(asked).toMatchObject({ status: 202, body: { code: 'accepted', executed: 'no' } });
    await expect.poll(gate.reached).toBe(1);
    const second = await restart();
    await welcomed(second);
    gate.open();
    const path = asked.headers.get('location') ?? '';
    await expect.poll(async () => (await second.request(path)).body['status']).toBe('succeeded');
    const again = await money(second, ANA, 100, { 'Idempotency-Key': 'a' });
    expect(again).toMatchObject({ status: 200, body: { result: { before: 0, after: 100 } } });
    expect(economy.applied).toHaveLength(1);
  });

  it('that restarts answers a repeated command from its journal', async () => {
    const economy = createEconomy({ [ANA]: 0 });
    const { hub, game, options } = await connected(economy);
    const paid = await money(hub, ANA, 100, { 'Idempotency-Key': 'a' });
    await game.stop();
    startGameServer(options);
    await welcomed(hub);
    expect((await money(hub, ANA, 100, { 'Idempotency-Key': 'a' })).text).toBe(paid.text);
    expect((await money(hub, ANA, 5, { 'Idempotency-Key': 'b' })).body['result']).toMatchObject({ after: 105 });
    expect(economy.applied).toHaveLength(2);
  });

  it('finishes commands in flight while the hub stops', async () => {
    const economy = createEconomy({ [ANA]: 0 });
    const gate = createGate();
    const { hub } = await connected(economy, gate.pass);
    const answer = money(hub, ANA, 100);
    await expect.poll(gate.reached).toBe(1);
    const stopped = hub.stop();
    const refused = await money(hub, 'char2:bo', 1);
    expect(refused).toMatchObject({ status: 503, body: { code: 'draining', executed: 'no', retryable: true } });
    expect((await fetch(`${hub.address}/readyz`)).status).toBe(503);
    gate.open();
    expect(await answer).toMatchObject({ status: 200, body: { result: { after: 100 } } });
    await stopped;
  });
});
