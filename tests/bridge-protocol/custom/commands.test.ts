import { describe, expect, it } from 'vitest';
import {
  type BridgeOptions,
  type CustomHandler,
  createCustomCommands,
  LIMITS,
  memoryJournal,
  type Outcome,
} from '../../../bridge-protocol/index.ts';
import { createFakeHub, eventually, until } from '../../kit/fake-hub.ts';
import { money, startBridge } from '../bridge.ts';

const GREET = { properties: { name: { type: 'string' } }, required: ['name'] };
const greet = (more: Parameters<typeof money>[0] = {}) =>
  money({ name: 'custom:greet', params: { name: 'Ana' }, ...more });

const start = async (
  handler: CustomHandler = () => ({ status: 'done', data: { hello: true } }),
  options: Partial<BridgeOptions> = {},
) => {
  const custom = createCustomCommands();
  custom.register({ name: 'greet', description: 'Says hello', params: GREET, handler });
  const hub = createFakeHub();
  const bridge = startBridge(hub, { custom, ...options });
  const socket = await hub.socket(0);
  await until(() => socket.of('commands.custom')[0]);
  const result = (n = 0) => until(() => socket.of('result')[n]);
  return { custom, hub, bridge, socket, result };
};

describe('custom commands of a bridge', () => {
  it('are announced after every welcome, ahead of all else, and at each change', async () => {
    const { custom, hub, socket } = await start();
    const announced = { name: 'greet', description: 'Says hello', params: { type: 'object', ...GREET } };
    expect(socket.messages[1]).toEqual({ type: 'commands.custom', commands: [announced] });
    for (const name of ['one', 'two']) custom.register({ name, params: {}, handler: () => ({ status: 'done' }) });
    const second = await until(() => socket.of('commands.custom')[1]);
    expect(second.commands.map(({ name }) => name)).toEqual(['greet', 'one', 'two']);
    socket.events.close(1006, '');
    const next = await hub.socket(1);
    const again = await until(() => next.of('commands.custom')[0]);
    expect(again).toEqual(second);
    for (const name of ['greet', 'one', 'two', 'none']) custom.unregister(name);
    expect((await until(() => next.of('commands.custom')[1])).commands).toEqual([]);
    expect(socket.of('commands.custom')).toHaveLength(2);
  });

  it('are not mentioned by a bridge that has none', async () => {
    const hub = createFakeHub();
    startBridge(hub, { custom: createCustomCommands() });
    const socket = await hub.socket(0);
    await until(() => socket.of('status')[0]);
    expect(socket.of('commands.custom')).toEqual([]);
  });

  it('are journaled before they run, and run once', async () => {
    const journal = memoryJournal({ class: 'durable' });
    const seen: unknown[] = [];
    const { socket, result } = await start(
      (params, { id, target }) => {
        seen.push([params, target, journal.get(id)?.status, journal.get(id)?.name]);
        return { status: 'done', data: { hello: true } };
      },
      { journal },
    );
    const command = greet({ params: { name: 'Ana', target: 'char1:ana' } });
    socket.send(command);
    expect(await result()).toMatchObject({ status: 'done', data: { hello: true }, sequence: 2 });
    socket.send({ ...command, attempt: 2 });
    expect(await result(1)).toEqual(await result());
    expect(seen).toEqual([[{ name: 'Ana', target: 'char1:ana' }, 'char1:ana', 'started', 'custom:greet']]);
  });

  it('are refused where they are unknown, or their parameters do not fit', async () => {
    const { socket, result } = await start();
    socket.send(greet({ name: 'custom:other' }));
    expect(await result()).toMatchObject({ status: 'rejected', error: { code: 'unsupported' } });
    socket.send(greet({ params: { name: 5 } }));
    expect(await result(1)).toMatchObject({
      status: 'rejected',
      error: { code: 'invalid_params', details: { pointer: '/name', detail: 'must be string' } },
    });
    socket.send(greet({ name: 'greet' }));
    expect(await result(2)).toMatchObject({ status: 'rejected', error: { code: 'unsupported' } });
  });

  it('that went or changed while they waited are not run', async () => {
    let release = (_outcome: Outcome): void => undefined;
    let calls = 0;
    const { custom, socket, result } = await start(() => {
      calls += 1;
      return new Promise((resolve) => {
        release = resolve;
      });
    });
    socket.send(greet());
    await eventually(() => expect(calls).toBe(1));
    socket.send(greet());
    custom.unregister('greet');
    custom.register({ name: 'greet', params: { required: ['age'] }, handler: () => ({ status: 'done' }) });
    release({ status: 'done' });
    expect(await result(1)).toMatchObject({ status: 'rejected', error: { code: 'invalid_params' } });
    expect(calls).toBe(1);
  });

  it.each(['atomic', 'durable'] as const)(
    'that fail leave it open what they did, with a journal that is %s',
    async (kind) => {
      const journal = memoryJournal({ class: kind });
      await journal.start('cmd_before', 'fp', { name: 'custom:greet', params: {} });
      const failing = (): never => {
        throw new Error('lost');
      };
      const { socket, result } = await start(failing, { journal });
      expect(await result()).toMatchObject({ id: 'cmd_before', status: 'indeterminate' });
      socket.send(greet());
      expect(await result(1)).toMatchObject({ status: 'indeterminate' });
    },
  );

  it('answer no more than a hub keeps', async () => {
    const { socket, result } = await start(() => ({
      status: 'done',
      data: { text: 'x'.repeat(LIMITS.customDataBytes) },
    }));
    socket.send(greet());
    expect(await result()).toMatchObject({ status: 'done', data: { omitted: true } });
  });

  it('all fit into one frame, however large each is', async () => {
    const { custom, socket } = await start();
    custom.unregister('greet');
    const title = 'x'.repeat(LIMITS.customSchemaBytes - JSON.stringify({ type: 'object', title: '' }).length);
    const description = '\uffff'.repeat(LIMITS.customDescriptionLength);
    const handler: CustomHandler = () => ({ status: 'done' });
    for (let n = 0; n < LIMITS.customCommands; n += 1) {
      custom.register({ name: `c${n}`.padEnd(48, 'x'), description, params: { type: 'object', title }, handler });
    }
    expect(() => custom.register({ name: 'more', params: {}, handler })).toThrow('there are 50 custom commands');
    const told = await until(() => socket.of('commands.custom')[1]);
    expect(told.commands).toHaveLength(LIMITS.customCommands);
  });
});
