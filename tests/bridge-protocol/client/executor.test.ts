import { describe, expect, it } from 'vitest';
import {
  type BridgeOptions,
  type CommandContext,
  type CommandParams,
  type Journal,
  LIMITS,
  memoryJournal,
  type Outcome,
} from '../../../bridge-protocol/index.ts';
import { createFakeHub, eventually, until } from '../../kit/fake-hub.ts';
import { createGate } from '../../kit/gate.ts';
import { kick, money, startBridge } from '../bridge.ts';

const paid: Outcome = { status: 'done', data: { account: 'bank', before: 0, after: 500 } };
const kicked: Outcome = { status: 'done', data: { kicked: true } };

/** A hub, a bridge with both commands, and the lists of paid and kicked players. */
const start = async ({
  journal = memoryJournal({ class: 'durable' }),
  pay = () => paid,
  now = Date.now,
}: {
  journal?: Journal;
  pay?: (params: CommandParams<'money'>, context: CommandContext) => Outcome | Promise<Outcome>;
  now?: () => number;
} = {}) => {
  const calls: string[] = [];
  const hub = createFakeHub();
  const bridge = startBridge(hub, {
    journal,
    now,
    commands: {
      money: (params, context) => {
        calls.push(context.id);
        return pay(params, context);
      },
      kick: (_params, context) => {
        calls.push(context.id);
        return kicked;
      },
    },
  });
  const socket = await hub.socket(0);
  await eventually(() => expect(bridge.state).toBe('welcomed'));
  return { hub, bridge, socket, calls, journal, result: (nth = 0) => until(() => socket.of('result')[nth]) };
};

describe('a command that is delivered more than once', () => {
  it('runs once and is answered alike', async () => {
    const { socket, calls, result } = await start();
    const command = money();
    socket.send(command);
    const first = await result();
    expect(first).toEqual({ type: 'result', id: command.id, ...paid, sequence: 2 });
    socket.send({ ...command, attempt: 2 });
    expect(await result(1)).toEqual(first);
    expect(calls).toEqual([command.id]);
  });

  it('runs once when the second delivery comes while it runs', async () => {
    const gate = createGate();
    const { socket, calls, result } = await start({ pay: () => gate.opened.then(() => paid) });
    const command = money();
    socket.send(command);
    await eventually(() => expect(calls).toHaveLength(1));
    socket.send({ ...command, attempt: 2 });
    await eventually(() => expect(socket.of('received').flatMap(({ ids }) => ids)).toContain(command.id));
    gate.open();
    await result();
    expect(calls).toHaveLength(1);
    expect(socket.of('result')).toHaveLength(1);
  });

  it('keeps its status after the hub has acknowledged it', async () => {
    const { socket, journal, calls, result } = await start();
    const command = money();
    socket.send(command);
    await result();
    socket.send({ type: 'ack', ids: [command.id] });
    expect(journal.open()).toEqual([]);
    socket.send(command);
    expect(await result(1)).toEqual({ type: 'result', id: command.id, status: 'done', sequence: 2 });
    expect(calls).toHaveLength(1);
  });

  it('keeps the code of its refusal after the hub has acknowledged it', async () => {
    const { socket, calls, result } = await start({
      pay: () => ({ status: 'rejected', error: { code: 'player_offline', message: 'Asleep.' } }),
    });
    const command = money();
    socket.send(command);
    await result();
    socket.send({ type: 'ack', ids: [command.id] });
    socket.send(command);
    expect(await result(1)).toMatchObject({ status: 'rejected', error: { code: 'player_offline' } });
    expect(calls).toHaveLength(1);
  });

  it('is refused under another fingerprint, and its entry stays as it was', async () => {
    const { socket, journal, result } = await start();
    const command = money();
    socket.send(command);
    await result();
    const entry = journal.get(command.id);
    socket.send({ ...command, fingerprint: 'other' });
    expect(await result(1)).toMatchObject({ status: 'rejected', error: { code: 'fingerprint_mismatch' } });
    expect(journal.get(command.id)).toEqual(entry);
  });

  it('is answered from memory, not from the journal, when it is ephemeral', async () => {
    const { socket, calls, journal, result } = await start();
    const command = kick();
    socket.send(command);
    expect(await result()).toEqual({ type: 'result', id: command.id, ...kicked });
    socket.send(command);
    await result(1);
    expect(calls).toEqual([command.id]);
    expect(journal.get(command.id)).toBeUndefined();
  });
});

describe('the order of commands', () => {
  it('is kept for one player, and other players are not held up', async () => {
    const gate = createGate();
    const finished: string[] = [];
    const { socket } = await start({
      pay: async ({ target }, { id }) => {
        if (target === 'slow') await gate.opened;
        finished.push(id);
        return paid;
      },
    });
    const [first, second, other] = [money({ target: 'slow' }), money({ target: 'slow' }), money({ target: 'quick' })];
    for (const command of [first, second, other]) socket.send(command);
    await eventually(() => expect(finished).toEqual([other.id]));
    gate.open();
    await eventually(() => expect(finished).toEqual([other.id, first.id, second.id]));
  });

  it('lets a kick pass the money of the same player', async () => {
    const gate = createGate();
    const { socket, result } = await start({ pay: () => gate.opened.then(() => paid) });
    socket.send(money());
    const command = kick();
    socket.send(command);
    expect(await result()).toMatchObject({ id: command.id, status: 'done' });
    gate.open();
  });

  it('has at most a window of commands at work, and loses none beyond it', async () => {
    const gate = createGate();
    let working = 0;
    let most = 0;
    const { socket } = await start({
      pay: async () => {
        working += 1;
        most = Math.max(most, working);
        await gate.opened;
        working -= 1;
        return paid;
      },
    });
    for (let nth = 0; nth < 100; nth += 1) socket.send(money({ target: `player${nth}` }));
    await eventually(() => expect(working).toBe(LIMITS.inFlight));
    gate.open();
    await eventually(() => expect(socket.of('result')).toHaveLength(100));
    expect(most).toBe(LIMITS.inFlight);
  });

  it('reports received commands in one frame, without the answered ones', async () => {
    const gate = createGate();
    const { socket } = await start({
      pay: ({ target }) => (target === 'quick' ? paid : gate.opened.then(() => paid)),
    });
    const slow = [money({ target: 'a' }), money({ target: 'b' }), money({ target: 'c' })];
    for (const command of slow) socket.send(command);
    socket.send(money({ target: 'quick' }));
    await eventually(() => expect(socket.of('received')).toHaveLength(1));
    expect(socket.of('received')[0]?.ids).toEqual(slow.map(({ id }) => id));
    gate.open();
  });
});

describe('taking a command back', () => {
  it('leaves a tombstone for one that has not come', async () => {
    const { socket, calls, journal, result } = await start();
    const command = money();
    socket.send({ type: 'void', id: command.id });
    expect(await result()).toEqual({ type: 'result', id: command.id, status: 'voided', sequence: 1 });
    expect(journal.get(command.id)).toMatchObject({ status: 'voided', fingerprint: '' });
    socket.send(command);
    expect(await result(1)).toMatchObject({ status: 'voided' });
    expect(calls).toEqual([]);
  });

  it('works at once for one that waits behind another, which then never runs', async () => {
    const gate = createGate();
    const { socket, calls, result } = await start({ pay: () => gate.opened.then(() => paid) });
    const [first, second, third] = [money(), money(), money()];
    for (const command of [first, second, third]) socket.send(command);
    socket.send({ type: 'void', id: second.id });
    expect(await result()).toMatchObject({ id: second.id, status: 'voided' });
    gate.open();
    await result(2);
    expect(calls).toEqual([first.id, third.id]);
  });

  it('is answered with the truth when it runs already', async () => {
    const gate = createGate();
    const { socket, calls, result } = await start({ pay: () => gate.opened.then(() => paid) });
    const command = money();
    socket.send(command);
    await eventually(() => expect(calls).toHaveLength(1));
    socket.send({ type: 'void', id: command.id });
    gate.open();
    expect(await result()).toMatchObject({ id: command.id, status: 'done' });
  });

  it('is answered from memory for a kick that has happened', async () => {
    const { socket, result } = await start();
    const command = kick();
    socket.send(command);
    await result();
    socket.send({ type: 'void', id: command.id });
    expect(await result(1)).toEqual({ type: 'result', id: command.id, ...kicked });
  });

  it('happens by itself when a command is past its time on the clock of the hub', async () => {
    // The clock of this machine is an hour slow; the welcome says so.
    const { socket, calls, result } = await start({ now: () => Date.now() - 3_600_000 });
    const late = money({ expiresAt: Date.now() - 60_000 });
    const inTime = money();
    socket.send(late);
    expect(await result()).toMatchObject({ id: late.id, status: 'voided' });
    socket.send(inTime);
    expect(await result(1)).toMatchObject({ id: inTime.id, status: 'done' });
    expect(calls).toEqual([inTime.id]);
  });
});

describe('a command that cannot be carried out', () => {
  it('is rejected when its parameters are not valid', async () => {
    const { socket, calls, result } = await start();
    socket.send(money({ params: { target: 'char1:ana', type: 'bank', amount: -5, action: 'add' } }));
    expect(await result()).toMatchObject({ status: 'rejected', error: { code: 'invalid_params' } });
    expect(calls).toEqual([]);
  });

  it('is rejected when hello does not name the account', async () => {
    const { socket, calls, result } = await start();
    const { params } = money();
    socket.send(money({ params: { ...params, type: 'gold' } }));
    const error = { code: 'unknown_account', details: { accounts: ['bank', 'cash'] } };
    expect(await result()).toMatchObject({ status: 'rejected', error });
    expect(calls).toEqual([]);
  });

  it('is rejected when the bridge has no handler for it', async () => {
    const { socket, result } = await start();
    socket.send(money({ name: 'teleport' }));
    expect(await result()).toMatchObject({ status: 'rejected', error: { code: 'unsupported' } });
  });

  it('is rejected when its handler does not look at a field of it: a text for some is not shown to all', async () => {
    const shown: object[] = [];
    const announce = (params: object): Outcome => {
      shown.push(params);
      return { status: 'done', data: { confirmedBy: 'server', players: 1 } };
    };
    const params = { message: 'Race', targets: ['char1:ana'] };
    const answer = async (options: Pick<BridgeOptions, 'versions'>) => {
      const hub = createFakeHub();
      const bridge = startBridge(hub, { commands: { announce }, ...options });
      const socket = await hub.socket(0);
      await eventually(() => expect(bridge.state).toBe('welcomed'));
      socket.send(money({ name: 'announce', params }));
      return { tags: socket.of('hello')[0]?.commands, result: await until(() => socket.of('result')[0]) };
    };
    expect(await answer({})).toMatchObject({
      tags: ['announce@1'],
      result: { status: 'rejected', error: { code: 'unsupported' } },
    });
    expect(shown).toEqual([]);
    expect(await answer({ versions: { announce: 9 } })).toMatchObject({
      tags: ['announce@1', 'announce@2'],
      result: { status: 'done' },
    });
    expect(shown).toEqual([params]);
  });

  it('stays rejected, so that a late second delivery cannot make it happen', async () => {
    const { socket, bridge, calls, result } = await start();
    const command = money();
    bridge.draining(true);
    socket.send(command);
    expect(await result()).toMatchObject({ status: 'rejected', error: { code: 'server_restarting' } });
    bridge.draining(false);
    socket.send({ ...command, attempt: 2 });
    expect(await result(1)).toMatchObject({ status: 'rejected' });
    expect(calls).toEqual([]);
  });

  it('is rejected without any effect while the journal takes no writes', async () => {
    const journal = memoryJournal({ class: 'durable' });
    const broken: Journal = {
      ...journal,
      start: () => {
        throw new Error('no space left on device');
      },
    };
    const { socket, calls, result } = await start({ journal: broken });
    socket.send(money());
    expect(await result()).toMatchObject({ status: 'rejected', error: { code: 'journal_unavailable' } });
    expect(calls).toEqual([]);
  });
});

describe('a handler that fails', () => {
  const fail = (): never => {
    throw new Error('database is gone');
  };

  it('leaves the effect unknown, and is not run again', async () => {
    const { socket, calls, result } = await start({ pay: fail });
    const command = money();
    socket.send(command);
    expect(await result()).toMatchObject({ status: 'indeterminate', error: { code: 'internal_error' } });
    socket.send(command);
    expect(await result(1)).toMatchObject({ status: 'indeterminate' });
    expect(calls).toHaveLength(1);
  });

  it('has failed for certain when journal and balance are one transaction', async () => {
    const { socket, result } = await start({ pay: fail, journal: memoryJournal({ class: 'atomic' }) });
    socket.send(money());
    expect(await result()).toMatchObject({ status: 'failed', error: { code: 'internal_error' } });
  });

  it('has done it all the same when it settled the entry before', async () => {
    const journal = memoryJournal({ class: 'atomic' });
    const { socket, result } = await start({
      journal,
      pay: async (_params, { id }) => {
        await journal.settle(id, paid);
        return fail();
      },
    });
    socket.send(money());
    expect(await result()).toMatchObject({ ...paid, sequence: 2 });
  });

  it('is told apart from an answer that does not fit the wire, which is cut', async () => {
    const { socket, result } = await start({
      pay: () => ({
        status: 'done',
        data: { account: 'bank', before: 0, after: 500, note: 'x'.repeat(300_000) },
      }),
    });
    socket.send(money());
    expect(await result()).toMatchObject({
      status: 'done',
      data: { account: 'bank', before: 0, after: 500 },
    });
  });
});

describe('a round of a command that waited', () => {
  it.each([
    ['a refusal', { params: {} }, 'settle', 'invalid_params'],
    ['a start', {}, 'start', 'journal_unavailable'],
  ] as const)('is not answered before the journal has %s that it did not take', async (_what, changes, call, code) => {
    let isFull = true;
    const journal = memoryJournal({ class: 'durable' });
    const guarded = <A extends unknown[], R>(write: (...given: A) => R) => {
      return (...given: A): R => {
        if (isFull) throw new Error('ENOSPC');
        return write(...given);
      };
    };
    const full: Journal = { ...journal, start: guarded(journal.start), settle: guarded(journal.settle) };
    const { socket, result, calls } = await start({
      journal: { ...full, ...(call === 'settle' && { start: journal.start }) },
    });
    const command = money({ id: 'cmd_waited.1', ...changes });
    socket.send(command);
    socket.send({ type: 'ping', n: 1, now: Date.now() });
    await until(() => socket.of('pong')[0]);
    expect(socket.of('result')).toEqual([]);
    isFull = false;
    expect(await result()).toMatchObject({ status: 'rejected', error: { code }, sequence: 1 });
    expect([calls, journal.get(command.id)?.status]).toEqual([[], 'rejected']);
  });
});

describe('an outcome the journal does not take', () => {
  it('is not told to the hub before it is durable', async () => {
    const journal = memoryJournal({ class: 'durable' });
    let failures = 0;
    const flaky: Journal = {
      ...journal,
      settle: (id, outcome) => {
        failures += 1;
        if (failures < 3) throw new Error('no space left on device');
        return journal.settle(id, outcome);
      },
    };
    const { socket, calls, result } = await start({ journal: flaky });
    const command = money();
    socket.send(command);
    await eventually(() => expect(failures).toBeGreaterThan(0));
    expect(socket.of('result')).toEqual([]);
    expect(await result()).toMatchObject({ ...paid, sequence: 2 });
    expect(failures).toBe(3);
    expect(calls).toHaveLength(1);
  });
});

describe('a bridge that comes back after a crash', () => {
  it('never runs a started command again, and reports it as indeterminate', async () => {
    const journal = memoryJournal({ class: 'durable' });
    const command = money();
    await journal.start(command.id, command.fingerprint);
    const { socket, calls, result } = await start({ journal });
    expect(await result()).toMatchObject({ id: command.id, status: 'indeterminate', sequence: 2 });
    socket.send({ ...command, attempt: 2 });
    expect(await result(1)).toMatchObject({ status: 'indeterminate' });
    expect(calls).toEqual([]);
  });

  it.each([
    ['failed', 'money', 'server_restarting'],
    ['indeterminate', 'custom:revive', 'internal_error'],
    ['indeterminate', undefined, 'internal_error'],
  ])('settles as %s what an atomic journal has as %s', async (status, name, code) => {
    const journal = memoryJournal({ class: 'atomic' });
    const command = money();
    await journal.start(command.id, command.fingerprint, name === undefined ? undefined : { name, params: {} });
    const { result } = await start({ journal });
    expect(await result()).toMatchObject({ id: command.id, status, error: { code } });
  });

  it('lists open commands in its hello, and sends their outcomes again', async () => {
    const journal = memoryJournal({ class: 'durable' });
    await journal.start('cmd_open', 'fp');
    await journal.settle('cmd_open', paid);
    await journal.settle('cmd_gone', { status: 'voided' });
    await journal.acknowledge(['cmd_gone']);
    const { socket, result } = await start({ journal });
    expect(socket.of('hello')[0]).toMatchObject({
      commands: ['money@1', 'kick@1'],
      // The sequence at the start of the process, not the current one.
      journal: { class: 'durable', id: journal.id, sequence: 0 },
      open: [{ id: 'cmd_open', status: 'done' }],
    });
    expect(await result()).toEqual({ type: 'result', id: 'cmd_open', ...paid, sequence: 2 });
    expect(socket.of('result')).toHaveLength(1);
  });
});
