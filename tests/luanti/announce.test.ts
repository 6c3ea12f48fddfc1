import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { openStage } from './stage.ts';

it('writes to the chat of all players, or of the chosen ones who are online', async () => {
  const { connected, hub, join, listed, server } = await openStage();
  await connected();
  await join('ana');
  await join('rui');
  await until(async () => (await listed()).length === 2, 'both are listed');
  await server.run(
    'local send = core.chat_send_player; core.chat_send_player = function(name, text) ' +
      "core.log('action', 'told ' .. name .. ': ' .. text); return send(name, text) end",
  );
  const announce = async (message: string, targets?: string[]) =>
    (await hub.request('/api/v2/bridge/main/announce', { json: { message, targets } })).body['result'];
  expect(await announce('first')).toEqual({ confirmedBy: 'server', players: 2 });
  expect(await announce('second', ['eva', 'rui'])).toEqual({ confirmedBy: 'server', players: 1 });
  await until(() => server.log.some((line) => line.includes('told rui: second')), 'Rui is told');
  const told = server.log.flatMap((line) => /told (\w+: \w+)/.exec(line)?.[1] ?? []);
  expect(told.sort()).toEqual(['ana: first', 'rui: first', 'rui: second']);
});
