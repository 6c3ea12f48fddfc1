import { describe, expect, it } from 'vitest';
import { eventually } from '../kit/stage.ts';
import { openItems } from './item-stage.ts';
import { REAL_ITEM_WORLDS } from './item-worlds.ts';

describe.each(REAL_ITEM_WORLDS)('$name', (world) => {
  const { ana, real } = world;
  const { item, weight, room, hasMetadata, accountItems } = real;
  /** The count of an item that fits into the empty inventory of Ana. */
  const most = Math.floor(room / weight);

  it('gives and takes: the answer, the memory and the row have the same count', async () => {
    const { items, agree, server } = await openItems(world);
    expect((await items({ item, count: 5 })).body['result']).toEqual({ item, before: 0, after: 5 });
    await agree(item, 5);
    const taken = await items({ item, count: 2, action: 'remove' });
    expect(taken.body['result']).toEqual({ item, before: 5, after: 3 });
    await agree(item, 3);
    const refused = await items({ item, count: 4, action: 'remove' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'not_enough_items', count: 3 } });
    const rest = await items({ item, count: 4, action: 'remove', allowPartial: true });
    expect(rest.body['result']).toEqual({ item, before: 3, after: 0, applied: 3 });
    await agree(item, 0);
    expect(server.errors).toEqual([]);
  });

  it('gives as many as the player can carry, and no more', async () => {
    const { items, agree } = await openItems(world);
    const refused = await items({ item, count: most + 1 });
    expect(refused).toMatchObject({ status: 409, body: { code: 'too_heavy', fits: most } });
    await agree(item, 0);
    const part = await items({ item, count: most + 1, allowPartial: true });
    expect(part.body['result']).toEqual({ item, before: 0, after: most, applied: most });
    await agree(item, most);
    expect(await items({ item })).toMatchObject({ status: 409, body: { code: 'too_heavy', fits: 0 } });
  });

  it('keeps stacks with other metadata apart', async () => {
    const { items, agree, held } = await openItems(world);
    const metadata = { label: 'from the shop', of: [1, { a: 'b' }] };
    if (!hasMetadata) {
      expect(await items({ item, metadata })).toMatchObject({ status: 422, body: { executed: 'no' } });
      return;
    }
    expect((await items({ item, count: 2 })).body['result']).toMatchObject({ before: 0, after: 2 });
    expect((await items({ item, count: 3, metadata })).body['result']).toMatchObject({ before: 0, after: 3 });
    await agree(item, 5);
    expect(await held(ana)).toContainEqual({ name: item, count: 3, metadata });
    const gone = await items({ item, count: 3, metadata, action: 'remove' });
    expect(gone.body['result']).toMatchObject({ before: 3, after: 0 });
    await agree(item, 2);
  });

  it('refuses items that stand for an account, and names that are not exact', async () => {
    const { items, look, held } = await openItems(world);
    const before = { accounts: (await look(ana)).accounts, held: await held(ana) };
    for (const name of accountItems) {
      for (const action of ['add', 'remove']) {
        expect(await items({ item: name, action })).toMatchObject({ status: 422, body: { executed: 'no' } });
      }
    }
    for (const name of [item.toUpperCase(), 'no such thing']) {
      expect(await items({ item: name })).toMatchObject({ status: 422, body: { code: 'unknown_item' } });
    }
    expect({ accounts: (await look(ana)).accounts, held: await held(ana) }).toEqual(before);
  });

  it('reports a command that a stop of the bridge interrupted, and gives nothing again', async () => {
    const { items, mysql, restartBridge, statusOf, agree } = await openItems(world);
    mysql.hold(true);
    const giving = items({ item, count: 2 }, 'once').catch(() => undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    await restartBridge();
    mysql.hold(false);
    await giving;
    await eventually(statusOf).toBe(world.hasMarks ? 'succeeded' : 'indeterminate');
    expect((await items({ item, count: 2 }, 'once')).body['executed']).not.toBe('no');
    await agree(item, 2);
  });

  it('keeps the items when the player leaves and returns', async () => {
    const { items, agree, server, recall, mysql, join, look } = await openItems(world);
    expect(await items({ item, count: 4 })).toMatchObject({ status: 200 });
    server.drop(1, 'done');
    await eventually(async () => (await recall(ana))?.online).toBe(false);
    await mysql.quiet();
    await join(ana);
    await eventually(async () => (await look(ana)).inventory.find(({ name }) => name === item)?.count).toBe(4);
    await agree(item, 4);
  });
});
