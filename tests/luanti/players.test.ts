import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { storedItems } from './database.ts';
import { openStage, type Player } from './stage.ts';

const VISIBLE_WITHIN_MS = 2_000;

/** The slots of some lists in the form of the game's database. */
const reportedItems = ({ inventory }: Player, lists: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    inventory
      .filter(({ metadata }) => lists.includes(String(metadata['list'])))
      .map(({ name, count, metadata }) => [
        `${metadata['list']} ${metadata['index']}`,
        `${name} ${count} ${metadata['wear'] ?? 0}`,
      ]),
  );

it('shows Ana within two seconds, and the inventory that the database has after she left', async () => {
  const { server, connected, listed, copy, read, join, leave, isOnline } = await openStage();
  await connected();
  expect(await listed()).toEqual([]);
  const ana = await join('ana');
  await until(() => isOnline('ana'), 'Ana is listed', { withinMs: VISIBLE_WITHIN_MS, everyMs: 20 });
  expect(performance.now() - server.joinedAt('ana')).toBeLessThan(VISIBLE_WITHIN_MS);
  await server.run(`
    local inventory = core.get_player_by_name('ana'):get_inventory()
    inventory:add_item('main', 'default:pick_steel 1 1200')
    inventory:add_item('main', 'default:apple 42')
    inventory:set_stack('main', 30, 'default:stone 99')
    inventory:set_stack('craft', 2, 'default:wood 3')`);
  // Other mods change inventories without an event: the mod looks about once a second.
  await until(async () => (await copy('ana')).inventory.length === 4, 'the inventory is there', { withinMs: 3_000 });
  const online = await copy('ana');
  expect(online.inventory.map(({ label }) => label)).toEqual(['Steel Pickaxe', 'Apple', 'Stone', 'Apple Wood Planks']);
  expect(online.accounts).toEqual({ bank: 0 });
  expect(Object.keys(online.metadata).sort()).toEqual(['breath', 'hp', 'privileges']);
  await leave('ana', ana);
  await until(async () => !(await isOnline('ana')), 'Ana is offline');
  await server.stop();
  await server.start();
  await connected();
  // A world reports the players that it has seen, as they were when they left.
  await until(async () => (await read('ana')).online === false, 'the record is there');
  const offline = await read('ana');
  const stored = storedItems(server.world, 'ana', ['main', 'craft']);
  expect(Object.keys(stored)).toHaveLength(4);
  expect(reportedItems(offline, ['main', 'craft'])).toEqual(stored);
});

it('keeps hostile items within the bounds of the protocol', async () => {
  const { server, connected, copy, read, join, isOnline } = await openStage();
  await connected();
  await join('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  await server.run(`
    local inventory = core.get_player_by_name('ana'):get_inventory()
    local book = ItemStack('default:book_written')
    book:get_meta():set_string('description', '\\27(c@#ff0000)Red\\27(c@#ffffff) ' .. ('é'):rep(500) .. '\\nsecond line')
    book:get_meta():set_string('text', ('x'):rep(100000))
    book:get_meta():set_string('owner', 'not UTF-8: \\255\\254')
    inventory:set_stack('main', 1, book)
    inventory:set_size('main', 2000)
    for index = 2, 2000 do
      local stack = ItemStack('default:stone')
      stack:get_meta():set_string('description', ('\\1"'):rep(200) .. index)
      for key = 1, 40 do stack:get_meta():set_string('key' .. key, ('\\1'):rep(500)) end
      inventory:set_stack('main', index, stack)
    end`);
  // Each key of each stack is looked at, which takes the game some seconds on a busy machine.
  const isListed = async () => (await copy('ana')).inventory.length === 1_024;
  await until(isListed, 'the slots are there', { withinMs: 20_000 });
  const { inventory } = await read('ana');
  const [book, ...others] = inventory;
  expect(book?.label).toMatch(/^Red é{30,}$/);
  expect(book?.metadata).toMatchObject({ list: 'main', index: 1, omitted: true });
  expect(others.at(-1)).toMatchObject({ name: 'default:stone', label: 'default:stone', metadata: { omitted: true } });
  expect(others).toHaveLength(1_023);
  expect((await read('ana')).metadata).toMatchObject({ slotsLeftOut: 2_000 - 1_024 });
});

it('reports what fits of an inventory whose names fill a whole record', async () => {
  const { server, connected, copy, join, isOnline } = await openStage();
  await connected();
  await join('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  await server.run(`
    local inventory = core.get_player_by_name('ana'):get_inventory()
    inventory:set_size('main', 1024)
    for index = 1, 1024 do inventory:set_stack('main', index, ('n'):rep(124) .. (1000 + index)) end`);
  await until(async () => (await copy('ana')).inventory.length > 0, 'the slots are there', { withinMs: 5_000 });
  const { inventory, metadata } = await copy('ana');
  expect(inventory.length).toBeGreaterThan(450);
  expect(metadata['slotsLeftOut']).toBe(1_024 - inventory.length);
  expect(server.log.join('\n')).not.toContain('is left out');
});

it('reports the armour of the mod 3d_armor', async () => {
  const { server, connected, copy, join, leave, isOnline } = await openStage({ mods: ['3d_armor'] });
  await connected();
  const ana = await join('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  await server.run(`
    core.after(1, function()
      local armor = core.get_inventory({ type = 'detached', name = 'ana_armor' })
      armor:set_stack('armor', 2, '3d_armor:helmet_steel 1 300')
    end)`);
  const worn = async (): Promise<unknown> =>
    (await copy('ana')).inventory.find(({ metadata }) => metadata['list'] === 'armor');
  await until(async () => (await worn()) !== undefined, 'the helmet is listed', { withinMs: 5_000 });
  await leave('ana', ana);
  await until(async () => !(await isOnline('ana')), 'Ana is offline');
  expect(await worn()).toEqual({
    slot: 4_002,
    name: '3d_armor:helmet_steel',
    label: 'Steel Helmet',
    count: 1,
    metadata: { list: 'armor', index: 2, wear: 300 },
  });
});
