import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { storedItems } from './database.ts';
import { openStage } from './stage.ts';

const openGame = async () => {
  const stage = await openStage();
  await stage.connected();
  const give = (item: string, count: number, more: object = {}) =>
    stage.hub.request('/api/v2/bridge/main/items', {
      json: { target: 'ana', item, count: Math.abs(count), action: count < 0 ? 'remove' : 'add', ...more },
    });
  const join = async () => {
    const ana = await stage.join('ana');
    await until(() => stage.isOnline('ana'), 'Ana is listed');
    return ana;
  };
  // A crash of the engine may undo a gift, so no item is given unless the project allows it.
  const allow = () => stage.hub.store.projects.update(stage.hub.project.id, { allowVolatile: true }, Date.now());
  return { ...stage, give, join, allow };
};

it('have the class volatile beside an atomic bank, and are refused unless the project allows it', async () => {
  const { give, join, info, pay } = await openGame();
  await join();
  expect(await info()).toMatchObject({ bridge: { journalClass: 'atomic', classes: { 'items@1': 'volatile' } } });
  expect(await give('default:apple', 1)).toMatchObject({ status: 501, body: { code: 'journal_required' } });
  expect(await pay('ana', 5)).toMatchObject({ status: 200 });
});

it('are listed with their labels, without those that no player can have', async () => {
  const { hub } = await openGame();
  const found = async (search: string) =>
    (await hub.request(`/api/v2/servers/main/items?search=${search}`)).body['data'] as {
      name: string;
      label: string;
    }[];
  await until(async () => (await found('apple')).length > 0, 'the items are listed', { withinMs: 30_000, everyMs: 50 });
  expect(await found('default:apple')).toContainEqual({ name: 'default:apple', label: 'Apple' });
  expect(await found('furnace_active')).toEqual([]);
  expect(await found('unknown')).toEqual([]);
});

it('that are plain are taken before others, and nothing else where {} is given', async () => {
  const { give, join, allow, server } = await openGame();
  await allow();
  await join();
  await server.run(`
    local inventory = core.get_player_by_name('ana'):get_inventory()
    local special = ItemStack('default:apple 2')
    special:get_meta():set_string('description', 'Golden')
    inventory:set_stack('main', 1, special)
    inventory:set_stack('main', 2, 'default:apple 3')`);
  const plain = { metadata: {} };
  expect(await give('default:apple', -4, plain)).toMatchObject({ body: { code: 'not_enough_items', count: 3 } });
  expect(await give('default:apple', -2, plain)).toMatchObject({ body: { result: { before: 3, after: 1 } } });
  expect(await give('default:apple', -2)).toMatchObject({ body: { result: { before: 3, after: 1 } } });
  expect(await give('default:apple', -1, plain)).toMatchObject({ body: { code: 'not_enough_items', count: 0 } });
});

it('are given to a real client and taken again; the game and its database have the same', async () => {
  const { give, join, allow, read, server } = await openGame();
  await allow();
  const ana = await join();
  expect(await give('default:apple', 120)).toMatchObject({
    status: 200,
    body: { executed: 'yes', result: { item: 'default:apple', before: 0, after: 120 } },
  });
  expect(await give('default:apple', -21)).toMatchObject({ body: { result: { before: 120, after: 99 } } });
  const { inventory } = await read('ana');
  expect(inventory.map(({ name, count }) => [name, count])).toEqual([['default:apple', 99]]);
  await server.stop();
  await ana.ended();
  expect(Object.values(storedItems(server.world, 'ana', ['main']))).toEqual(['default:apple 99 0']);
});

it('that are unknown, too many, or not there change nothing', async () => {
  const { give, join, allow, read, server } = await openGame();
  await allow();
  await join();
  expect(await give('default:apple', 1, { target: 'bob' })).toMatchObject({ body: { code: 'player_not_found' } });
  await server.run(`
    local inventory = core.get_player_by_name('ana'):get_inventory()
    for index = 1, 31 do inventory:set_stack('main', index, 'default:stone 99') end`);
  expect(await give('no:such', 1)).toMatchObject({ status: 422, body: { code: 'unknown_item', executed: 'no' } });
  expect(await give('default:apple', 100)).toMatchObject({ status: 409, body: { code: 'inventory_full', fits: 99 } });
  expect(await give('default:apple', -1)).toMatchObject({ body: { code: 'not_enough_items', count: 0 } });
  expect(await give('default:apple', 1, { metadata: { a: 1 } })).toMatchObject({ body: { code: 'refused' } });
  const held = async () =>
    (await read('ana')).inventory.filter(({ name }) => name === 'default:apple').map(({ count }) => count);
  expect(await held()).toEqual([]);
  expect(await give('default:apple', 100, { allowPartial: true })).toMatchObject({
    body: { result: { before: 0, after: 99, applied: 99 } },
  });
  expect(await held()).toEqual([99]);
});
