import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type BridgeState,
  closeReason,
  LIMITS,
  memoryJournal,
  type Outcome,
  type SocketEvents,
} from '../../../bridge-protocol/index.ts';
import { createFakeHub, eventually, until } from '../../kit/fake-hub.ts';
import { playerFrame } from '../../kit/frames.ts';
import { createGate } from '../../kit/gate.ts';
import { money, startBridge } from '../bridge.ts';

const paid: Outcome = { status: 'done', data: { account: 'bank', before: 0, after: 500 } };

/** A bridge whose states and waits are written down. */
const start = (options: Parameters<typeof startBridge>[1] = {}) => {
  const hub = createFakeHub();
  const states: BridgeState[] = [];
  const details: string[] = [];
  const bridge = startBridge(hub, {
    ...options,
    onState: (state, detail) => {
      states.push(state);
      details.push(detail);
    },
  });
  const welcomed = () => eventually(() => expect(bridge.state).toBe('welcomed'));
  return { hub, bridge, states, details, welcomed };
};

const useFakeTimers = (): void => {
  vi.useFakeTimers();
  // Registered before the bridge, because hooks run in reverse order.
  onTestFinished(() => {
    vi.useRealTimers();
  });
};

describe('a connection', () => {
  it('goes from connecting over hello to welcome', async () => {
    const { hub, bridge, states, welcomed } = start();
    await welcomed();
    expect(states).toEqual(['connecting', 'connected', 'welcomed']);
    expect(bridge.session).toEqual({ id: 'ses_1', epoch: 1 });
    const [hello] = (await hub.socket(0)).messages;
    expect(hello).toMatchObject({ type: 'hello', protocol: 1, accounts: ['bank', 'cash'], open: [] });
  });

  it('works with a socket that opens before it is returned', async () => {
    const hub = createFakeHub();
    hub.behaviour.opens = false;
    const bridge = startBridge(hub, {
      openSocket: (events) => {
        const socket = hub.openSocket(events);
        events.open();
        return socket;
      },
    });
    await eventually(() => expect(bridge.state).toBe('welcomed'));
  });

  it('comes back when no socket can be opened at all', async () => {
    const hub = createFakeHub();
    let attempts = 0;
    const bridge = startBridge(hub, {
      openSocket: (events) => {
        attempts += 1;
        if (attempts < 4) throw new Error('no route');
        return hub.openSocket(events);
      },
    });
    await eventually(() => expect(bridge.state).toBe('welcomed'));
    expect(attempts).toBe(4);
  });

  it('answers a ping at once, also before the welcome', async () => {
    const { hub } = start();
    hub.behaviour.welcomes = false;
    const socket = await hub.socket(0);
    await eventually(() => expect(socket.of('hello')).toHaveLength(1));
    socket.send({ type: 'ping', n: 7, now: Date.now() });
    expect(socket.of('pong')).toMatchObject([{ n: 7 }]);
  });

  it('takes no commands before the welcome', async () => {
    const { hub } = start({ commands: { money: () => paid } });
    hub.behaviour.welcomes = false;
    const socket = await hub.socket(0);
    await eventually(() => expect(socket.of('hello')).toHaveLength(1));
    socket.send(money());
    hub.welcome(socket);
    const command = money();
    socket.send(command);
    await eventually(() => expect(socket.of('result').map(({ id }) => id)).toEqual([command.id]));
  });

  it('answers an unknown frame with an error, and stays connected', async () => {
    const { hub, bridge, welcomed } = start();
    await welcomed();
    const socket = await hub.socket(0);
    socket.events.message('{"type":"dance"}');
    socket.events.message('{');
    socket.events.message('{"type":"ping"}');
    socket.events.message('{"type":"error"}');
    const codes = socket.of('error').map(({ re, code }) => [re, code]);
    expect(codes).toEqual([
      ['dance', 'unsupported'],
      [undefined, 'invalid_json'],
      ['ping', 'invalid_message'],
    ]);
    expect(bridge.state).toBe('welcomed');
  });

  it('is cut and replaced when nothing comes in', async () => {
    const { hub, details } = start({ timings: { silenceMs: 30, statusEveryMs: 5 } });
    const first = await hub.socket(0);
    await hub.socket(1);
    expect(first.ending.terminated).toBe(true);
    expect(details).toContainEqual(expect.stringContaining('silent'));
  });

  it('lives as long as anything comes in', async () => {
    useFakeTimers();
    const { hub, bridge } = start({ timings: { silenceMs: 300 } });
    await vi.advanceTimersByTimeAsync(0);
    const socket = await hub.socket(0);
    for (let n = 0; n < 20; n += 1) {
      socket.send({ type: 'ping', n, now: Date.now() });
      await vi.advanceTimersByTimeAsync(299);
    }
    expect(bridge.session?.epoch).toBe(1);
    await vi.advanceTimersByTimeAsync(400);
    expect(socket.ending.terminated).toBe(true);
  });

  it('reports its status when asked, in time, and while draining', async () => {
    const { hub, bridge, welcomed } = start({
      timings: { statusEveryMs: 5 },
      status: () => ({ players: { online: 3, max: 64 }, tickMs: 4.5 }),
    });
    await welcomed();
    const socket = await hub.socket(0);
    await eventually(() => expect(socket.of('status').length).toBeGreaterThan(2));
    expect(socket.of('status')[0]).toEqual({
      type: 'status',
      players: { online: 3, max: 64 },
      tickMs: 4.5,
      draining: false,
    });
    bridge.draining(true);
    expect(socket.of('status').at(-1)).toMatchObject({ draining: true });
  });
});

describe('the reaction of a bridge to a close', () => {
  const afterClose = async (code: number, reason = '') => {
    const started = start({ timings: { stoppedProbeMs: 40 } });
    await started.welcomed();
    (await started.hub.socket(0)).events.close(code, reason);
    return started;
  };

  it.each([1006, 1001, 4001, 4002, 4003, 4004, 4005, 4006, 4008, 4321])('comes back after %i', async (code) => {
    const { hub, states, welcomed } = await afterClose(code);
    expect(states.at(-1)).toBe('waiting');
    await hub.socket(1);
    await welcomed();
  });

  it.each([4500, 4501, 4503, 4504, 4506, 4513, 4522, 4888])('stops after %i, and looks again later', async (code) => {
    const { hub, states, welcomed } = await afterClose(code);
    expect(states.at(-1)).toBe('stopped');
    await hub.socket(1);
    await welcomed();
  });

  it('stops for good after it was replaced', async () => {
    useFakeTimers();
    const { hub, bridge, states } = start();
    await vi.advanceTimersByTimeAsync(0);
    expect(bridge.state).toBe('welcomed');
    hub.sockets[0]?.events.close(4509, closeReason('replaced'));
    expect(states.at(-1)).toBe('stopped');
    await vi.advanceTimersByTimeAsync(60 * 60 * 1000);
    expect(hub.sockets).toHaveLength(1);
  });

  it.each([
    [4000, closeReason('shutting_down', 400), 'next attempt in 200 ms'],
    [4007, closeReason('node_full', 60), 'next attempt in 60 ms'],
    [4029, closeReason('instances_fight', 70), 'next attempt in 70 ms'],
    [4007, '', 'next attempt in 30000 ms'],
    [4001, closeReason('silent', 9_000), 'next attempt in 1 ms'],
  ])('honours the time in the reason of %i', async (code, reason, expected) => {
    const { details } = await afterClose(code, reason);
    expect(details.at(-1)).toContain(expected);
  });

  it.each([400, 401, 403])('stops after a refusal with %i, and looks again later', async (status) => {
    const { hub, states, details, welcomed } = start({ timings: { stoppedProbeMs: 20 } });
    hub.behaviour.opens = false;
    (await hub.socket(0)).events.refused({ status, body: '{"code":"invalid_token"}' });
    expect(states.at(-1)).toBe('stopped');
    expect(details.at(-1)).toContain('invalid_token');
    hub.behaviour.opens = true;
    await hub.socket(1);
    await welcomed();
  });

  it.each([
    ['closed with 4503', (end: SocketEvents) => end.close(4503, closeReason('disabled', 20_000))],
    ['refused with 403', (end: SocketEvents) => end.refused({ status: 403, body: '', retryAfterMs: 20_000 })],
  ])('stops when it is %s, and looks again after the time that it was told', async (_name, end) => {
    const { hub, states, details } = start();
    end((await hub.socket(0)).events);
    expect(states.at(-1)).toBe('stopped');
    expect(details.at(-1)).toContain('looks again in 22500 ms');
  });

  it('waits as long as a refusal says, and a little more', async () => {
    const { hub, details } = start();
    hub.behaviour.opens = false;
    (await hub.socket(0)).events.refused({ status: 503, body: '', retryAfterMs: 5_000 });
    expect(details.at(-1)).toContain('next attempt in 5500 ms');
  });

  it('waits longer each time, and starts over after a stable connection', async () => {
    const hub = createFakeHub();
    const waits: number[] = [];
    let at = Date.now();
    const bridge = startBridge(hub, {
      now: () => at,
      onState: (_state, detail) => {
        const [, ms] = /next attempt in (\d+) ms/.exec(detail) ?? [];
        if (ms !== undefined) waits.push(Number(ms));
      },
      timings: { reconnectBaseMs: 2, reconnectMaxMs: 16, stableMs: 60_000 },
    });
    for (let nth = 0; nth < 6; nth += 1) {
      const socket = await hub.socket(nth);
      await eventually(() => expect(bridge.session?.id).toBe(`ses_${nth + 1}`));
      if (nth === 5) at += 60_000;
      socket.events.close(1006, '');
    }
    expect(waits).toEqual([1, 2, 4, 8, 8, 1]);
  });
});

describe('replacing a connection', () => {
  it('opens the next one before it closes this one', async () => {
    const { hub, bridge, welcomed } = start();
    await welcomed();
    const first = await hub.socket(0);
    hub.behaviour.welcomes = false;
    first.send({ type: 'drain', withinMs: 10 });
    const second = await hub.socket(1);
    await eventually(() => expect(second.of('hello')).toHaveLength(1));
    expect(first.ending.closed).toBeUndefined();
    expect(bridge.session).toEqual({ id: 'ses_1', epoch: 1 });
    hub.welcome(second);
    expect(first.ending.closed?.code).toBe(1000);
    expect(bridge.session).toEqual({ id: 'ses_2', epoch: 2 });
  });

  it('ignores frames of the old one from then on', async () => {
    const { hub, bridge, welcomed } = start({ commands: { money: () => paid } });
    await welcomed();
    const first = await hub.socket(0);
    first.send({ type: 'drain', withinMs: 0 });
    const second = await hub.socket(1);
    await eventually(() => expect(bridge.session?.epoch).toBe(2));
    first.send(money());
    const command = money();
    second.send(command);
    await eventually(() => expect(second.of('result').map(({ id }) => id)).toEqual([command.id]));
    expect(first.of('result')).toEqual([]);
  });

  it('sends the result of a command from the old connection on the new one', async () => {
    const gate = createGate();
    const { hub, bridge, welcomed } = start({ commands: { money: () => gate.opened.then(() => paid) } });
    await welcomed();
    const first = await hub.socket(0);
    const command = money();
    first.send(command);
    await eventually(() => expect(first.of('received')).toHaveLength(1));
    first.send({ type: 'drain', withinMs: 0 });
    const second = await hub.socket(1);
    await eventually(() => expect(bridge.session?.epoch).toBe(2));
    gate.open();
    await eventually(() => expect(second.of('result')).toMatchObject([{ id: command.id, status: 'done' }]));
  });

  it('keeps the old one when the next one fails, and tries again', async () => {
    const { hub, bridge, states, welcomed } = start();
    await welcomed();
    const first = await hub.socket(0);
    hub.behaviour.opens = false;
    first.send({ type: 'drain', withinMs: 0 });
    (await hub.socket(1)).events.refused({ status: 502, body: '' });
    expect(bridge.session?.epoch).toBe(1);
    expect(first.ending.closed).toBeUndefined();
    hub.behaviour.opens = true;
    await hub.socket(2);
    await eventually(() => expect(bridge.session?.epoch).toBe(3));
    expect(states).not.toContain('waiting');
  });

  it('is not tried any more when another instance took over meanwhile', async () => {
    const { hub, bridge, welcomed } = start({ timings: { stoppedProbeMs: 1 } });
    await welcomed();
    const first = await hub.socket(0);
    hub.behaviour.opens = false;
    first.send({ type: 'drain', withinMs: 0 });
    const second = await hub.socket(1);
    first.events.close(4509, closeReason('replaced'));
    expect(bridge.state).toBe('stopped');
    expect(second.ending.closed).toBeDefined();
  });
});

describe('results that were not delivered', () => {
  it('are said again after the next welcome, until the hub acknowledges them', async () => {
    const gate = createGate();
    const journal = memoryJournal({ class: 'durable' });
    const { hub, welcomed } = start({ journal, commands: { money: () => gate.opened.then(() => paid) } });
    await welcomed();
    const first = await hub.socket(0);
    const command = money();
    first.send(command);
    await eventually(() => expect(journal.get(command.id)?.status).toBe('started'));
    hub.behaviour.opens = false;
    first.events.close(1006, '');
    gate.open();
    await eventually(() => expect(journal.get(command.id)?.status).toBe('done'));
    hub.behaviour.opens = true;
    const second = await hub.socket(1);
    second.events.open();
    await eventually(() => expect(second.of('result')).toMatchObject([{ id: command.id, ...paid, sequence: 2 }]));
    expect(second.of('hello')[0]?.open).toEqual([{ id: command.id, status: 'done' }]);
    second.send({ type: 'ack', ids: [command.id] });
    second.events.close(1006, '');
    const third = await hub.socket(2);
    await eventually(() => expect(third.of('status')).toHaveLength(1));
    expect(third.of('hello')[0]?.open).toEqual([]);
    expect(third.of('result')).toEqual([]);
  });
});

describe('stopping', () => {
  it('lets running commands end, then says bye', async () => {
    const gate = createGate();
    const { hub, bridge, states, welcomed } = start({
      commands: { money: () => gate.opened.then(() => paid) },
    });
    await welcomed();
    const socket = await hub.socket(0);
    const command = money();
    socket.send(command);
    await eventually(() => expect(socket.of('received')).toHaveLength(1));
    const stopped = bridge.stop('Maintenance.');
    const late = money({ target: 'char1:bo' });
    socket.send(late);
    await eventually(() => expect(socket.of('result')).toHaveLength(1));
    gate.open();
    await stopped;
    expect(socket.of('result').map(({ id, status }) => [id, status])).toEqual([
      [late.id, 'rejected'],
      [command.id, 'done'],
    ]);
    expect(socket.messages.at(-1)).toEqual({ type: 'bye', reason: 'Maintenance.' });
    expect(states.at(-1)).toBe('stopped');
  });

  it('ends an attempt that is under way', async () => {
    const { hub, bridge } = start();
    hub.behaviour.welcomes = false;
    const socket = await hub.socket(0);
    await bridge.stop();
    expect(socket.ending.closed).toBeDefined();
    expect(bridge.state).toBe('stopped');
  });

  it('cuts the line when the hub does not close it', async () => {
    const { hub, bridge, welcomed } = start();
    hub.behaviour.byes = false;
    await welcomed();
    await bridge.stop();
    expect((await hub.socket(0)).ending.terminated).toBe(true);
  });
});

describe('the options of a bridge', () => {
  it('are checked when it is made', () => {
    const hub = createFakeHub();
    expect(() => startBridge(hub, { accounts: ['no account'] })).toThrow(/accounts/);
    expect(() => startBridge(hub, { instance: 'x'.repeat(65) })).toThrow(/instance/);
    expect(() => startBridge(hub, { accounts: Array(LIMITS.accountsPerPlayer + 1).fill('bank') })).toThrow();
  });
});

it('a bridge says nothing after bye, not even the rest of a snapshot', async () => {
  const hub = createFakeHub();
  hub.behaviour.byes = false;
  const gate = createGate();
  const bridge = startBridge(hub, {
    players: {
      snapshot: async function* () {
        await gate.opened;
        yield playerFrame('char1:ana');
      },
    },
  });
  const socket = await hub.socket(0);
  await until(() => socket.of('status')[0]);
  const stopped = bridge.stop();
  await until(() => socket.of('bye')[0]);
  gate.open();
  socket.send({ type: 'ping', n: 1, now: 0 });
  await stopped;
  expect(socket.messages.at(-1)?.type).toBe('bye');
});
