import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { openStage } from './stage.ts';

it('throws Ana out, says why in the log of her client, and confirms it', async () => {
  const { connected, join, kick, listed, isOnline, server } = await openStage();
  await connected();
  const ana = await join('ana');
  await join('rui');
  await until(async () => (await listed()).length === 2, 'both are listed');
  const answer = await kick('ana', 'Spam: “stop” it');
  expect(answer).toMatchObject({
    status: 200,
    body: { status: 'succeeded', executed: 'yes', result: { kicked: true } },
  });
  // Confirmed means that she has left.
  expect(server.told('leave').map(([name]) => name)).toEqual(['ana']);
  await ana.ended();
  expect(ana.said()).toContain('Access denied. Reason: Kicked: Spam: “stop” it');
  await until(async () => !(await isOnline('ana')), 'Ana is offline');
  expect(await kick('ana')).toMatchObject({ status: 409, body: { code: 'player_offline', executed: 'no' } });
  expect(await kick('eva')).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
  expect(await isOnline('rui')).toBe(true);
});

it('answers after five seconds that the outcome is unknown, when the game takes a kick and the player stays', async () => {
  const { connected, join, kick, isOnline, server } = await openStage();
  await connected();
  await join('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  await server.run('kick_player = core.kick_player; core.kick_player = function() return true end');
  const from = performance.now();
  const unknown = { status: 409, body: { executed: 'unknown', command: { status: 'indeterminate' } } };
  expect(await kick('ana')).toMatchObject(unknown);
  expect(performance.now() - from).toBeGreaterThan(4_900);
  expect(await isOnline('ana')).toBe(true);
  await server.run('core.kick_player = kick_player');
  expect(await kick('ana')).toMatchObject({ status: 200, body: { executed: 'yes' } });
});

it('refuses new commands while a restart is near, and takes them again', async () => {
  const { admin: say, connected, join, kick, pay, isOnline } = await openStage();
  await connected();
  await join('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  expect(await say('drain on')).toContain('New commands are refused');
  const refused = { status: 503, body: { code: 'server_restarting' } };
  await expect.poll(() => kick('ana')).toMatchObject(refused);
  expect(await pay('ana', 1)).toMatchObject(refused);
  await say('drain off');
  await expect.poll(() => pay('ana', 1)).toMatchObject({ status: 200 });
  expect(await say('')).toMatch(/^Causeway: welcomed, for \d+ s\nHub: ws:.*\nPlayers: 1 online, 1 known\n/);
  expect(await say('')).not.toContain('cwb_');
  expect(await say('what')).toContain('Write /causeway');
});
