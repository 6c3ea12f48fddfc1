import vm from 'node:vm';
import { expect, it } from 'vitest';
import { read } from '../kit/pages.ts';
import { eventually } from '../kit/stage.ts';
import { ESX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const PAGE = read('docs/guides/fivem/commands.md');
/** The blocks of the page in a language. */
const blocksOf = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
const INVENTORY = `exports('AddItem', function(source, item, count) return item ~= 'anvil', 'too heavy' end)`;

it('shows resources that offer commands, in Lua and JavaScript', async () => {
  const { hub, server } = await openWorld(ESX);
  const path = '/api/v2/bridge/main/actions';
  const run = (name: string, json: object) => hub.request(`${path}/${name}`, { json });
  const lua = (name: string, code: string) => server.start({ name, lua: [{ name: 'server.lua', code }] });
  const [heal = '', bonus = '', ...others] = blocksOf('lua');
  const [maths = '', ...more] = blocksOf('js');
  expect([...others, ...more]).toEqual([]);
  await lua('healer', heal);
  await lua('bonus', bonus);
  await lua('ox_inventory', INVENTORY);
  await server.start({ name: 'maths', js: [new vm.Script(maths)] });
  const names = async () => ((await hub.request(path)).body['data'] as { name: string }[]).map(({ name }) => name);
  await eventually(async () => (await names()).toSorted()).toEqual(['give_bonus', 'heal', 'twice']);
  expect(await run('heal', { target: ESX.ana, health: 150 })).toMatchObject({
    status: 200,
    body: { result: { told: 1 } },
  });
  expect(await run('heal', { target: ESX.cy })).toMatchObject({ status: 409, body: { code: 'player_offline' } });
  expect((await run('heal', { target: ESX.ana, health: 201 })).status).toBe(422);
  const three = { officer: ESX.ana, item: 'bread', count: 3 };
  expect((await run('give_bonus', three)).body['errors']).toMatchObject([{ pointer: '/note' }]);
  expect((await run('give_bonus', { ...three, note: 'Shift of the month' })).body).toMatchObject({
    target: ESX.ana,
    result: { item: 'bread', count: 3 },
    roles: { player: 'officer', reasonRequired: true },
  });
  expect((await run('give_bonus', { ...three, item: 'anvil', note: 'x' })).body['detail']).toContain('too heavy');
  expect((await run('twice', { n: 21 })).body['result']).toEqual({ n: 42 });
  expect(server.errors).toEqual([]);
});
