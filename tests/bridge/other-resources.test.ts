import { describe, expect, it } from 'vitest';
import { eventually } from '../kit/stage.ts';
import { ESX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const lua = (name: string, code: string) => ({ name, lua: [{ name: 'server.lua', code }] });

describe('after a restart of the bridge', () => {
  it('other resources offer their commands again', async () => {
    const { hub, server, restartBridge } = await openWorld(ESX, { isEmpty: true });
    const path = '/api/v2/bridge/main/actions';
    const names = async (): Promise<unknown> => (await hub.request(path)).body['data'];
    await server.start(
      lua(
        'shop',
        `local function offer()
           exports.causeway:registerCommand('greet', {}, function() return { hello = true } end)
         end
         offer()
         AddEventHandler('causeway:ready', offer)`,
      ),
    );
    await eventually(names).toMatchObject([{ name: 'greet' }]);
    await restartBridge();
    await eventually(async () => (await hub.request(`${path}/greet`, { json: {} })).body['result']).toEqual({
      hello: true,
    });
    expect(server.errors).toEqual([]);
  });

  it('are invited once in each start, when the exports lead to it', async () => {
    const { server, restartBridge } = await openWorld(ESX, { isEmpty: true });
    await server.start(
      lua(
        'shop',
        `AddEventHandler('causeway:ready', function() print('ready', exports.causeway:getState().version) end)`,
      ),
    );
    const invited = (): string[] => server.lines.filter((line) => line.startsWith('[shop] ready'));
    for (const count of [1, 2]) {
      await restartBridge();
      await eventually(() => invited().length).toBe(count);
    }
    expect(invited().every((line) => /ready \d+\.\d+\.\d+/.test(line))).toBe(true);
  });
});

/** ox_inventory with one item, which a player moves, and whose hooks cannot be registered `fails` times at first. */
const inventory = (fails: number): string => `
  local hooks, fails, bread = {}, ${fails}, 3
  exports('registerHook', function(event, heard)
    if fails > 0 then
      fails = fails - 1
      error('not ready')
    end
    hooks[event] = hooks[event] or {}
    table.insert(hooks[event], heard)
    print('hook', event)
    return event
  end)
  exports('GetInventoryItems', function() return { { name = 'bread', count = bread, slot = 1, metadata = {} } } end)
  exports('Items', function() return {} end)
  AddEventHandler('fake:swap', function(source, count)
    for _, heard in ipairs(hooks.swapItems or {}) do heard({ fromInventory = source, toInventory = 'stash' }) end
    bread = count
  end)`;

describe('ox_inventory', () => {
  const open = async (fails: number) => {
    const install: typeof ESX.install = async (server, mysql) => {
      await ESX.install(server, mysql);
      await server.start(lua('ox_inventory', inventory(fails)));
    };
    const world = await openWorld({ ...ESX, install });
    const { server, recall } = world;
    const bread = async (): Promise<unknown> => (await recall(ESX.ana))?.inventory.map(({ count }) => count);
    const hooks = (): string[] => server.lines.splice(0).filter((line) => line.startsWith('[ox_inventory] hook'));
    return { ...world, bread, hooks };
  };
  const all = ['swapItems', 'createItem', 'buyItem', 'craftItem'].map((name) => `[ox_inventory] hook ${name}`);

  it('is heard again after its restart, by each hook once', async () => {
    const { server, bread, hooks } = await open(0);
    await eventually(bread).toEqual([3]);
    expect(hooks()).toEqual(all);
    await server.restart('ox_inventory');
    await eventually(() => server.lines.filter((line) => line.includes('hook')).length).toBe(all.length);
    server.emit('fake:swap', '', 1, 2);
    await eventually(bread).toEqual([2]);
    expect(hooks()).toEqual(all);
  });

  it('is asked until it has taken each hook', async () => {
    const { server, bread, hooks } = await open(6);
    await eventually(() => server.lines.filter((line) => line.includes('] hook')).length).toBe(all.length);
    server.emit('fake:swap', '', 1, 5);
    await eventually(bread).toEqual([5]);
    expect(hooks().sort()).toEqual([...all].sort());
  });
});
