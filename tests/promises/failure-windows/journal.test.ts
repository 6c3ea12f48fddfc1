import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { simulate } from '../../../simulator/simulate.ts';
import { newFolder } from '../../kit/folder.ts';
import { startHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { backUp, restoreBackup } from '../../kit/restore-hub.ts';
import { ANA, commandsOf, createGate, eventually, openStage, PAY, pay, rewrite } from '../../kit/stage.ts';

describe('a hub whose database was restored from a copy', () => {
  it.skipIf(onPostgres)(
    'makes the same id of the same key, and the bridge answers instead of paying again',
    async () => {
      const stage = await openStage();
      const hub = stage.hub();
      await rewrite(hub, 'VACUUM INTO ?', join(hub.folder, 'copy.db'));
      const first = await pay(hub);
      expect(first).toMatchObject({ status: 200, body: { executed: 'yes' } });
      await eventually(() => stage.game().journal.open()).toEqual([]);
      await hub.crash();
      for (const name of ['hub.db-wal', 'hub.db-shm']) rmSync(join(hub.folder, name), { force: true });
      renameSync(join(hub.folder, 'copy.db'), join(hub.folder, 'hub.db'));
      const next = await stage.nextHub();
      expect(await commandsOf(next)).toEqual([]);
      const again = await pay(next);
      // The bridge has kept the id and dropped the payload when it was confirmed.
      expect(again).toMatchObject({ status: 200, body: { id: first?.body.id, executed: 'yes', result: null } });
      expect((await stage.ending()).status).toBe('succeeded');
      const other = await pay(next, {}, { amount: PAY + 1 });
      expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch', executed: 'no' } });
      expect(stage.bank()).toBe(PAY);
    },
  );

  it('and gets the key with another body first: the bridge knows it and refuses', async () => {
    const stage = await openStage();
    const hub = stage.hub();
    await pay(hub);
    await rewrite(hub, 'DELETE FROM commands');
    const other = await pay(hub, {}, { amount: PAY + 1 });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch', executed: 'no' } });
    expect(stage.bank()).toBe(PAY);
  });
});

describe.skipIf(onPostgres)('a key that comes again to a restored hub with another deliver', () => {
  const now = {};
  const waiting = { deliver: 'when_online' };
  it.each([
    ['that was paid at once, and now would wait', now, waiting],
    ['that waited and was paid, and now would not wait', waiting, now],
  ])('%s, pays once; another amount is refused', async (_what, first, second) => {
    const stage = await openStage();
    const hub = stage.hub();
    await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
    await backUp(hub);
    expect(await pay(hub, {}, first)).toMatchObject({ status: 200, body: { executed: 'yes' } });
    await eventually(() => stage.game().journal.open()).toEqual([]);
    await restoreBackup(hub);
    const next = await stage.nextHub();
    // Until its game server has reported the player, it may wait.
    await eventually(() => pay(next, {}, second)).toMatchObject({
      status: 200,
      body: { executed: 'yes', result: null },
    });
    expect(stage.bank()).toBe(PAY);
    await restoreBackup(next);
    const last = await stage.nextHub();
    const refused = { status: 422, body: { code: 'idempotency_mismatch', executed: 'no' } };
    await eventually(() => pay(last, {}, { ...second, amount: PAY + 1 })).toMatchObject(refused);
    // A new key is paid as ever.
    const fresh = await pay(last, { 'Idempotency-Key': 'bonus' }, second);
    expect(fresh).toMatchObject({ status: 200, body: { executed: 'yes', result: { after: 2 * PAY } } });
    expect(stage.bank()).toBe(2 * PAY);
  });
});

describe('a bridge whose journal is lost', () => {
  it('leaves what was under way to a person, never runs it again, and works on', async () => {
    const gate = createGate();
    const stage = await openStage({ before: gate.pass });
    const told = pay(stage.hub());
    await eventually(gate.reached).toBe(1);
    const dying = stage.game().crash();
    gate.open();
    await dying;
    rmSync(stage.journalFile);
    await stage.nextGame({ before: async () => undefined });
    expect(await told).toMatchObject({ status: 409, body: { code: 'indeterminate', executed: 'unknown' } });
    const { id, error } = await stage.ending();
    expect(error?.message).toMatch(/another journal/);
    const paid = stage.economy.applied.filter((effect) => effect.id === id).length;
    const verdict = { json: { applied: paid === 1, note: 'looked into the game' } };
    const resolved = await stage.hub().request(`/api/v2/commands/${id}/resolve`, verdict);
    expect(resolved.body['executed']).toBe(paid === 1 ? 'yes' : 'no');
    expect(await pay(stage.hub(), { 'Idempotency-Key': 'next' })).toMatchObject({ status: 200 });
    expect(stage.economy.applied).toHaveLength(paid + 1);
  });
});

describe('a game database that was restored', () => {
  it('takes back what had succeeded; the hub repeats its answer and never the payment', async () => {
    const hub = await startHub();
    const worldFile = join(newFolder(), 'world.db');
    const start = () => {
      const timings = { reconnectBaseMs: 20, reconnectMaxMs: 100 };
      const game = simulate({ url: hub.bridgeUrl, token: hub.token, players: 3, worldFile, lifeEveryMs: 0, timings });
      onTestFinished(game.stop);
      return game;
    };
    const first = start();
    const [target = ''] = first.world.identifiers();
    const bank = (game: typeof first): number => game.world.player(target)?.accounts['bank'] ?? Number.NaN;
    await eventually(() => first.bridge.state).toBe('welcomed');
    const before = bank(first);
    await first.stop();
    copyFileSync(worldFile, `${worldFile}.backup`);
    const second = start();
    await eventually(() => second.bridge.state).toBe('welcomed');
    expect(await pay(hub, {}, { target })).toMatchObject({ status: 200 });
    expect(bank(second)).toBe(before + PAY);
    await second.stop();
    renameSync(`${worldFile}.backup`, worldFile);
    const third = start();
    await eventually(() => third.bridge.state).toBe('welcomed');
    expect(await pay(hub, {}, { target })).toMatchObject({ status: 200, body: { executed: 'yes' } });
    expect(bank(third)).toBe(before);
    expect(await pay(hub, { 'Idempotency-Key': 'owed' }, { target })).toMatchObject({ status: 200 });
    expect(bank(third)).toBe(before + PAY);
  });
});
