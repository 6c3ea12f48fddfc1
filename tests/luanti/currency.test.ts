import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { storedItems } from './database.ts';
import { openStage } from './stage.ts';

const NOTES = { type: 'minegeld' };

const openShop = async () => {
  const stage = await openStage({
    mods: ['currency'],
    settings: { 'causeway.currency': 'true', 'currency.income_enabled': 'false' },
  });
  await stage.connected();
  // A bridge whose money a crash may undo gets none unless the project allows it.
  await stage.hub.store.projects.update(stage.hub.project.id, { allowVolatile: true }, Date.now());
  return stage;
};

it('reports the whole bridge as volatile, and gets no money unless the project allows it', async () => {
  const { connected, join, isOnline, pay, info } = await openStage({
    mods: ['currency'],
    settings: { 'causeway.currency': 'true' },
  });
  await connected();
  await join('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  expect(await info()).toMatchObject({ bridge: { journalClass: 'volatile', accounts: ['bank', 'minegeld'] } });
  expect(await pay('ana', 5)).toMatchObject({ status: 501, body: { code: 'journal_required' } });
});

it('gives and takes notes, gives change, and an orderly shutdown loses nothing', async () => {
  const { connected, join, isOnline, pay, read, server } = await openShop();
  const ana = await join('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  expect(await pay('ana', 266, NOTES)).toMatchObject({ status: 200, body: { result: { before: 0, after: 266 } } });
  expect(await pay('ana', -70, NOTES)).toMatchObject({ body: { result: { before: 266, after: 196 } } });
  expect(await pay('ana', -197, NOTES)).toMatchObject({
    status: 409,
    body: { code: 'insufficient_funds', balance: 196 },
  });
  expect(await read('ana')).toMatchObject({ accounts: { bank: 0, minegeld: 196 } });
  expect(await pay('ana', 7)).toMatchObject({ body: { result: { account: 'bank', after: 7 } } });
  await server.stop();
  await ana.ended();
  const notes = Object.values(storedItems(server.world, 'ana', ['main'])).sort();
  expect(notes).toEqual([
    'currency:minegeld 1 0',
    'currency:minegeld_10 4 0',
    'currency:minegeld_100 1 0',
    'currency:minegeld_5 1 0',
    'currency:minegeld_50 1 0',
  ]);
  await server.start();
  await connected();
  expect(await pay('ana', 5, NOTES)).toMatchObject({ status: 409, body: { code: 'player_offline' } });
  expect(await read('ana')).toMatchObject({ accounts: { bank: 7, minegeld: 196 } });
});

it('refuses notes that have no room, and changes nothing', async () => {
  const { join, isOnline, pay, read, server } = await openShop();
  await join('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  await server.run(`
    local inventory = core.get_player_by_name('ana'):get_inventory()
    for index = 1, 31 do inventory:set_stack('main', index, 'default:stone 99') end
    inventory:set_stack('main', 32, 'currency:minegeld_100 65534')`);
  expect(await pay('ana', 100, NOTES)).toMatchObject({ status: 200, body: { result: { after: 6_553_500 } } });
  expect(await pay('ana', 100, NOTES)).toMatchObject({ status: 409, body: { code: 'refused', executed: 'no' } });
  expect(await pay('ana', 9_007_199_254_740_991, NOTES)).toMatchObject({ status: 409, body: { code: 'refused' } });
  // Change needs room, too.
  expect(await pay('ana', -1, NOTES)).toMatchObject({ status: 409, body: { code: 'refused' } });
  expect(await read('ana')).toMatchObject({ accounts: { minegeld: 6_553_500 } });
});
