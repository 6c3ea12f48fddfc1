import vm from 'node:vm';
import { expect, it } from 'vitest';
import { read } from '../support/pages.ts';
import { eventually } from '../testkit/stage.ts';
import { ESX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const PAGE = read('docs/guides/fivem/commands.md');
/** The only block of the page in a language. */
const blockOf = (language: string): string => {
  const blocks = [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  expect(blocks.length).toBe(1);
  return blocks[0]?.[1] ?? '';
};

it('shows resources that offer commands, in Lua and JavaScript', async () => {
  const { hub, server } = await openWorld(ESX);
  const path = '/api/v2/bridge/main/actions';
  const run = (name: string, json: object) => hub.request(`${path}/${name}`, { json });
  await server.start({ name: 'healer', lua: [{ name: 'server.lua', code: blockOf('lua') }] });
  await server.start({ name: 'maths', js: [new vm.Script(blockOf('js'))] });
  const names = async () => ((await hub.request(path)).body['data'] as { name: string }[]).map(({ name }) => name);
  await eventually(async () => (await names()).toSorted()).toEqual(['heal', 'twice']);
  expect(await run('heal', { target: ESX.ana, health: 150 })).toMatchObject({
    status: 200,
    body: { result: { told: 1 } },
  });
  expect(await run('heal', { target: ESX.cy })).toMatchObject({ status: 409, body: { code: 'player_offline' } });
  expect((await run('heal', { target: ESX.ana, health: 201 })).status).toBe(422);
  expect((await run('twice', { n: 21 })).body['result']).toEqual({ n: 42 });
  expect(server.errors).toEqual([]);
});
