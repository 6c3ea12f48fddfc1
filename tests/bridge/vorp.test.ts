import { expect, it } from 'vitest';
import { eventually } from '../kit/stage.ts';
import { VORP } from './frameworks.ts';
import { openWorld } from './stage.ts';

const { ana, bo } = VORP;

it('VORP forgets a player who is back within six seconds: they are kicked while they play, and paid nothing', async () => {
  const { server, join, kick, pay, look } = await openWorld(VORP);
  server.drop(1, 'done');
  await eventually(() => server.players.get(1)).toBeUndefined();
  const source = await join(ana);
  // Until the timer of the first drop has deleted the second user.
  await eventually(async () => (await pay({ target: ana })).body['code']).toBe('player_offline');
  expect(server.players.get(source)).toBeDefined();
  expect(await kick(bo)).toMatchObject({ status: 200 });
  expect(server.players.get(source)).toBeDefined();
  expect(await kick(ana)).toMatchObject({ status: 200, body: { result: { kicked: true } } });
  expect(server.players.get(source)).toBeUndefined();
  expect(await kick(ana)).toMatchObject({ status: 409, body: { code: 'player_offline' } });
  expect((await look(ana)).online).toBe(false);
});
