import { describe, expect, it } from 'vitest';
import { REAL } from '../../bridge/checkouts.ts';
import { ESX, QBCORE, QBOX, RSG, WORLDS, type World } from '../../bridge/frameworks.ts';
import { openWorld } from '../../bridge/stage.ts';
import type { FxServer } from '../../fxserver/server.ts';
import { eventually } from '../../kit/stage.ts';

/** Another resource of the same server, which may send any event there is. */
const stranger = (server: FxServer, code: string): Promise<void> =>
  server.start({ name: 'stranger', lua: [{ name: 'server.lua', code }] });

const qb = (prefix: string) => (who: string) =>
  `TriggerEvent('${prefix}:Server:PlayerLoaded', { PlayerData = { source = 2, citizenid = '${who}' } })`;
/** Claims that the connection 2 plays another player's character. */
const LIES: Record<string, (who: string) => string> = {
  esx: (who) => `TriggerEvent('esx:playerLoaded', 2, { identifier = '${who}' }, false)`,
  qbcore: qb('QBCore'),
  qbox: qb('QBCore'),
  rsg: qb('RSGCore'),
  ox_core: (who) => `TriggerEvent('ox:playerLoaded', 2, 3, '${who}')`,
  vorp: (who) => `TriggerEvent('vorp:SelectedCharacter', 2, { identifier = '${who}', charIdentifier = 13 })`,
};
const lie = ({ name }: World, who: string): string => LIES[name.replace('real-', '')]?.(who) ?? '';

describe.each([...WORLDS, ...REAL])('$name, where another resource sends false player events', (world) => {
  const { ana, bo, cy, account } = world;
  const of = (who: 'ana' | 'bo' | 'cy'): number => world.money[who][account] ?? 0;

  it.each([
    ['away', cy, 'cy'],
    ['there', ana, 'ana'],
  ] as const)('pays no other player in the place of one who is %s', async (_, victim, name) => {
    const { server, pay, stored, look } = await openWorld(world);
    await stranger(server, lie(world, victim));
    const isPaid = name === 'ana' || world.isOfflinePaid;
    expect((await pay({ target: victim, amount: 10 })).status).toBe(isPaid ? 200 : 409);
    expect(await stored(victim)).toMatchObject({ [account]: of(name) + (isPaid ? 10 : 0) });
    expect((await look(bo)).accounts[account]).toBe(of('bo'));
    expect(await stored(bo)).toMatchObject({ [account]: of('bo') });
  });

  it('kicks no other player', async () => {
    const { server, kick } = await openWorld(world);
    await stranger(server, lie(world, cy));
    expect(await kick(cy)).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect(server.players.all().map(({ source }) => source)).toEqual([1, 2]);
  });
});

describe.each<World>([ESX, QBCORE, RSG])('$name, where a player changes the character without an event', (world) => {
  const { ana, cy, account } = world;

  it('pays neither player for the other', async () => {
    const { server, mysql, pay, stored, recall } = await openWorld(world);
    server.emit('fake:switch', '', 1, cy);
    await mysql.quiet();
    expect(await pay({ target: ana })).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect(await stored(ana)).toMatchObject(world.money.ana);
    expect(await stored(cy)).toMatchObject(world.money.cy);
    await eventually(async () => (await recall(cy))?.online).toBe(true);
    expect(await pay({ target: cy })).toMatchObject({ status: 200 });
    expect(await stored(cy)).toMatchObject({ [account]: (world.money.cy[account] ?? 0) + 50 });
    expect(await stored(ana)).toMatchObject(world.money.ana);
  });
});

it('reports no leave for a false leave event of another resource', async () => {
  for (const world of [ESX, QBOX, ...REAL]) {
    const { server, pay, kick, stored } = await openWorld(world);
    await stranger(server, `TriggerEvent('playerDropped', 'gone') TriggerEvent('esx:playerDropped', 1, 'gone')`);
    const { status } = await pay({ target: world.ana });
    expect(await stored(world.ana)).toMatchObject({ bank: status === 200 ? 5050 : 5000 });
    expect(await kick(world.bo)).toMatchObject({ status: 200, body: { result: { kicked: true, said: 'test' } } });
  }
});
