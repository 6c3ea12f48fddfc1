import { expect, it } from 'vitest';
import { eventually } from '../kit/stage.ts';
import { ESX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const SCHEMA = `{ properties = { victim = { type = 'string' }, why = { type = 'string' } } }`;
/** A resource that offers one command; the console has what the export returned. */
const offering = (name: string, roles: string) => ({
  name,
  lua: [
    {
      name: 'server.lua',
      code: `print(tostring(exports.causeway:registerCommand('${name}', ${SCHEMA}, function(params, context)
        return { source = context.source, target = context.target } end${roles})))`,
    },
  ],
});

it('a resource says what its parameters mean: which one is the player, and which the reason that it needs', async () => {
  const { hub, server } = await openWorld(ESX);
  const path = '/api/v2/bridge/main/actions';
  const run = async (name: string, json: object) => (await hub.request(`${path}/${name}`, { json })).body;
  await server.start(offering('fine', `, { player = 'victim', reason = 'why', reasonRequired = true }`));
  await server.start(offering('empty', ', {}'));
  await server.start(offering('plain', ''));
  await eventually(async () => (await hub.request(path)).body['data']).toHaveLength(3);
  expect(await run('fine', { victim: ESX.ana, why: 'Speeding' })).toMatchObject({
    target: ESX.ana,
    roles: { player: 'victim', reason: 'why', reasonRequired: true },
    result: { source: 1, target: ESX.ana },
  });
  expect((await run('fine', { victim: ESX.ana }))['errors']).toMatchObject([{ pointer: '/why' }]);
  for (const name of ['empty', 'plain']) {
    expect(await run(name, { victim: ESX.ana })).toMatchObject({ target: null, status: 'succeeded', result: {} });
  }
});

it('a resource is told in the console which of its roles is wrong', async () => {
  const { hub, server } = await openWorld(ESX);
  const wrong = [
    [`{ amount = 'coins' }`, '/roles/amount: the schema has no property "coins"'],
    [`{ amount = 'why' }`, '/roles/amount: the parameter "why" must be a number'],
    [`{ reasonRequired = true }`, '/roles/reasonRequired: no parameter has the role reason'],
    [`{ ammount = 'why' }`, 'there is no role "ammount"'],
    [`'amount'`, '/roles: must be an object'],
  ] as const;
  for (const [nth, [roles, why]] of wrong.entries()) {
    const name = `wrong${nth}`;
    await server.start(offering(name, `, ${roles}`));
    expect(server.lines).toContain(`[${name}] false`);
    expect(server.lines.find((line) => line.includes(`${name} cannot offer the command`))).toContain(why);
  }
  await server.start(offering('fine', ''));
  await eventually(async () => (await hub.request('/api/v2/bridge/main/actions')).body['data']).toMatchObject([
    { name: 'fine' },
  ]);
});
