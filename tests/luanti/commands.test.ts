import { expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { openStage } from './stage.ts';

it('lets other mods add commands, and checks what callers send', async () => {
  const { act, connected, join, copy, isOnline } = await openStage();
  await connected();
  await join('ana');
  await until(() => isOnline('ana'), 'Ana is listed');
  const give = (params: object) => act('give_badge', params);
  expect(await give({ target: 'ana', count: 3 })).toMatchObject({ status: 200, body: { result: { given: 3 } } });
  await until(async () => (await copy('ana')).inventory[0]?.count === 3, 'the apples are listed');
  expect(await give({ target: 'ana', count: 11 })).toMatchObject({ status: 422 });
  expect(await give({ target: 'rui', count: 1 })).toMatchObject({ status: 409, body: { code: 'player_offline' } });
});

it('ends a command as indeterminate when the code of the other mod fails', async () => {
  const { act, connected, offers, server } = await openStage();
  await connected();
  await server.run("causeway.register_command({ name = 'stumble', run = function() error('over a stone') end })");
  await offers('stumble');
  const unknown = { status: 409, body: { executed: 'unknown', command: { status: 'indeterminate' } } };
  expect(await act('stumble')).toMatchObject(unknown);
  expect(server.log.join('\n')).toContain('over a stone');
  expect(await act('ring_bell', { tune: 'la' })).toMatchObject({ status: 200 });
});

it('takes a command back, and takes it again', async () => {
  const { act, connected, server } = await openStage();
  await connected();
  const ring = () => act('ring_bell', { tune: 'la' });
  await expect.poll(ring).toMatchObject({ status: 200 });
  await server.run("causeway.unregister_command('ring_bell')");
  await expect.poll(ring).toMatchObject({ status: 404, body: { code: 'action_not_found', executed: 'no' } });
  await server.run(`causeway.register_command({ name = 'ring_bell', run = function() end })`);
  await expect.poll(ring).toMatchObject({ status: 200, body: { result: {} } });
});

it('ends the commands that run when the server stops, before it says goodbye', async () => {
  const { act, connected, offers, server } = await openStage();
  await connected();
  await server.run(`
    causeway.register_command({ name = 'wait', run = function()
      core.log('action', 'the command waits')
      return causeway.later
    end })`);
  await offers('wait');
  const answer = act('wait');
  await until(() => server.log.some((line) => line.includes('the command waits')), 'the command runs');
  const from = performance.now();
  await server.stop();
  expect(performance.now() - from).toBeLessThan(4_000);
  // The hub has the outcome without a start of the server.
  expect(await answer).toMatchObject({ status: 409, body: { command: { status: 'indeterminate' } } });
});

it('gives other mods no way to its sockets', async () => {
  const { server, connected } = await openStage();
  await connected();
  const answers = await server.run(`
    causeway.register_command({ name = 'look', run = function() return causeway.done({}) end })
    local mine = getfenv(causeway.register_command)
    return { mine == _G, pcall(require, 'socket'), rawget(_G, 'socket') == nil }`);
  expect(answers).toEqual([true, false, true]);
});
