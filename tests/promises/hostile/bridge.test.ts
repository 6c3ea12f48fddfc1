import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CLOSE_CODES, LIMITS } from '../../../bridge-protocol/index.ts';
import { type Arena, openArena } from '../../kit/arena.ts';
import { shareHub } from '../../kit/hub.ts';
import { helloFrame, openRaw, playerFrame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { wireFrame } from '../../kit/raw-tcp.ts';

const newTenant = shareHub();
const newArena = (): Promise<Arena> => openArena({}, newTenant);

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const names = (count: number, length = 8): string[] =>
  Array.from({ length: count }, (_, n) => String(n).padEnd(length, 'x'));

const open = async ({ hub }: Arena): Promise<RawBridge> => {
  const bridge = openRaw(hub.bridgeUrl, hub.token);
  await bridge.opened();
  return bridge;
};
const welcomed = ({ hub }: Arena): Promise<RawBridge> => welcomeRaw(hub.bridgeUrl, hub.token);

/** Whether the session is in order: a command goes out and its result comes back. */
const isAlive = async ({ hub }: Arena, bridge: RawBridge): Promise<void> => {
  const target = `probe:${randomUUID()}`;
  const answer = hub.request('/api/v2/bridge/main/kick', { json: { target } });
  const command = await bridge.until(
    () => bridge.frames.find(({ params }) => (params as { target?: string } | undefined)?.target === target),
    'the probe',
  );
  bridge.send({ type: 'result', id: command['id'], status: 'done', data: { kicked: true } });
  expect((await answer).status).toBe(200);
};

describe('a hostile hello', () => {
  it('that never comes is 4002', async () => {
    // Enough for the bystander's hello on a busy machine.
    const arena = await openArena({ tuning: { helloTimeoutMs: 1_000 } });
    await arena.during(async () => {
      expect((await (await open(arena)).closed()).code).toBe(CLOSE_CODES.no_hello);
    });
  });

  it.each([
    ['another frame', JSON.stringify({ type: 'status' }), 'bad_hello'],
    ['a result', JSON.stringify({ type: 'result', id: 'a', status: 'done' }), 'bad_hello'],
    ['no JSON', 'hello', 'bad_hello'],
    ['an unknown type', JSON.stringify({ type: 'helo' }), 'bad_hello'],
    ['a binary frame', Buffer.from('{}'), 'bad_hello'],
    ['too long a frame', ' '.repeat(LIMITS.frameBytes + 1), 'bad_hello'],
    ['another version', JSON.stringify(helloFrame({ protocol: 2 })), 'unsupported_version'],
    ['10,000 commands', JSON.stringify(helloFrame({ commands: names(10_000) })), 'bad_hello'],
    ['10,000 accounts', JSON.stringify(helloFrame({ accounts: ['bank', ...names(10_000)] })), 'bad_hello'],
    ['a huge instance', JSON.stringify(helloFrame({ instance: 'x'.repeat(200_000) })), 'bad_hello'],
    ['no instance', JSON.stringify(helloFrame({ instance: '' })), 'bad_hello'],
    ['a window of none', JSON.stringify(helloFrame({ limits: { inFlight: 0 } })), 'bad_hello'],
    [
      '10,000 open commands',
      JSON.stringify(helloFrame({ open: names(10_000).map((id) => ({ id, status: 'done' })) })),
      'bad_hello',
    ],
    [
      'a sequence past 2^53',
      JSON.stringify(helloFrame()).replace('"sequence":1000', '"sequence":9007199254740993'),
      'bad_hello',
    ],
    [
      'a sequence of infinity',
      JSON.stringify(helloFrame()).replace('"sequence":1000', '"sequence":1e999'),
      'bad_hello',
    ],
  ] as const)('of %s is refused with its close code', async (_name, frame, code) => {
    const arena = await newArena();
    await arena.during(async () => {
      const bridge = await open(arena);
      bridge.socket.send(frame);
      const closed = await bridge.closed();
      expect([closed.code, JSON.parse(closed.reason)]).toEqual([CLOSE_CODES[code], { code }]);
      expect(arena.hub.sizes().sessions).toBe(1);
    });
  });

  it('that lacks a field is told the field before it is closed', async () => {
    const arena = await newArena();
    const bridge = await open(arena);
    bridge.send(helloFrame({ instance: '' }));
    expect(await bridge.frame('error')).toMatchObject({ re: 'hello', message: expect.stringContaining('/instance') });
    expect((await bridge.closed()).code).toBe(CLOSE_CODES.bad_hello);
  });

  it('said twice is a bad frame, and the session goes on', async () => {
    const arena = await newArena();
    await arena.during(async () => {
      const bridge = await welcomed(arena);
      bridge.send(helloFrame());
      expect(await bridge.frame('error')).toMatchObject({ re: 'hello', code: 'invalid_message' });
      await isAlive(arena, bridge);
    });
  });

  it('with a window of a million gets the window of the hub', async () => {
    const arena = await newArena();
    const bridge = await welcomeRaw(arena.hub.bridgeUrl, arena.hub.token, {
      limits: { inFlight: 1_000_000 },
    });
    expect(await bridge.frame('welcome')).toMatchObject({ limits: { inFlight: LIMITS.inFlight } });
  });

  it('followed at once by other frames has them take effect in their order', async () => {
    const arena = await newArena();
    await arena.during(async () => {
      const bridge = await open(arena);
      const players = (revision: number) => [playerFrame(`at:${revision}`)];
      bridge.send(helloFrame());
      bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: players(1) });
      for (let n = 2; n <= 40; n += 1) bridge.send({ type: 'players.changed', revision: n, players: players(n) });
      await expect
        .poll(async () => (await arena.hub.request('/api/v2/players?online=true&serverId=main')).body['pagination'])
        .toMatchObject({ total: 40 });
      expect(bridge.frames.map(({ type }) => type)).not.toContain('players.resync');
    });
  });
});

describe('a hostile frame', () => {
  it.each([
    ['over the bound is 4513', ' '.repeat(LIMITS.frameBytes + 1), 4513],
    ['over the bound in bytes, not characters, is 4513', '€'.repeat(LIMITS.frameBytes / 3 + 1), 4513],
    ['over twice the bound is 1009, unread', ' '.repeat(LIMITS.frameBytes * 2 + 1), 1009],
  ])('%s', async (_name, text, code) => {
    const arena = await newArena();
    await arena.during(async () => {
      const bridge = await welcomed(arena);
      bridge.send(text);
      expect((await bridge.closed()).code).toBe(code);
    });
  });

  it.each([
    [
      'in 17 fragments',
      [wireFrame('{', { fin: false }), ...Array(16).fill(wireFrame(' ', { opcode: 0, fin: false }))],
      1008,
    ],
    ['of invalid UTF-8', [wireFrame(Buffer.from([0x22, 0xc3, 0x28, 0x22]))], 1007],
    ['with a reserved opcode', [wireFrame('{}', { opcode: 3 })], 1002],
    ['that continues nothing', [wireFrame('{}', { opcode: 0 })], 1002],
    ['without a mask', [Buffer.from([0x81, 2, 0x7b, 0x7d])], 1002],
    ['that says it is compressed', [Buffer.from([0xc1, 0x80, 0, 0, 0, 0])], 1002],
    ['with a length of 2^63', [Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])], 1009],
  ])('%s ends the socket', async (_name, bytes, code) => {
    const arena = await newArena();
    await arena.during(async () => {
      const tcp = await arena.welcomeTcp();
      tcp.send(Buffer.concat(bytes));
      await tcp.ended();
      tcp.socket.end();
      expect(tcp.text().slice(-2)).toBe(Buffer.from([code >> 8, code & 0xff]).toString('latin1'));
      await expect.poll(() => arena.hub.sizes().connections).toBe(1);
    });
  });

  it('of an unknown type is answered and never closes', async () => {
    const arena = await newArena();
    await arena.during(async () => {
      const bridge = await welcomed(arena);
      for (let n = 0; n < 50; n += 1) bridge.send({ type: `future.${n}` });
      expect(await bridge.frame('error', 50)).toMatchObject({ code: 'unsupported', re: 'future.49' });
      await isAlive(arena, bridge);
    });
  });

  it.each([
    ['not JSON', '{"type":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['nothing', ''],
    ['a type that is a number', '{"type":1}'],
    ['__proto__ for a type', '{"__proto__":{"type":"bye"}}'],
    ['constructor as a type of its own', '{"type":{"constructor":1}}'],
    ['nested 65 deep', `{"type":"result","id":"a","status":"done","data":{"a":${nested(64)}}}`],
    ['nested 100,000 deep', nested(100_000)],
    ['NaN', '{"type":"status","tickMs":NaN}'],
    ['a number over every bound', '{"type":"status","tickMs":1e999}'],
    ['a negative revision', '{"type":"players.changed","revision":-1}'],
    ['a fraction for a revision', '{"type":"players.changed","revision":1.5}'],
    ['a revision past 2^53', '{"type":"players.changed","revision":9007199254740993}'],
    [
      'a balance over every bound',
      JSON.stringify({ type: 'players.changed', revision: 1, players: [playerFrame('a')] }).replace(
        '"bank":100',
        '"bank":1e999',
      ),
    ],
    [
      'an identifier of SQL',
      JSON.stringify({ type: 'players.changed', revision: 1, offline: ["'; drop table players; --"] }),
    ],
    ['an unknown status', '{"type":"result","id":"a","status":"perhaps"}'],
    ['an id of 65 characters', JSON.stringify({ type: 'result', id: 'x'.repeat(65), status: 'done' })],
    ['a binary frame', Buffer.from(JSON.stringify({ type: 'bye' }))],
  ])('of %s is a bad frame; five of them are 4500', async (_name, frame) => {
    const arena = await newArena();
    await arena.during(async () => {
      const bridge = await welcomed(arena);
      for (let n = 0; n < 4; n += 1) bridge.socket.send(frame);
      expect((await bridge.frame('error', 4))['code']).toMatch(/^invalid_(json|message)$/);
      await isAlive(arena, bridge);
      bridge.socket.send(frame);
      expect((await bridge.closed()).code).toBe(CLOSE_CODES.protocol_violation);
    });
  });

  it('with __proto__ among its keys changes no prototype', async () => {
    const arena = await newArena();
    await arena.during(async () => {
      const bridge = await welcomed(arena);
      const evil = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
      const [player] = [JSON.stringify(playerFrame('char1:eve')).replace('"metadata":{}', `"metadata":${evil}`)];
      bridge.send(
        `{"type":"players.snapshot","revision":1,"part":0,"last":true,"players":[${player}],"__proto__":${evil}}`,
      );
      bridge.send(`{"type":"status","players":{"online":1,"__proto__":${evil}}}`);
      bridge.send(`{"type":"result","id":"cmd_x","status":"done","data":${evil}}`);
      await bridge.frame('ack');
      await expect.poll(async () => (await arena.hub.request('/api/v2/players/char1:eve')).status).toBe(200);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      await isAlive(arena, bridge);
    });
  });

  it('with NUL and lone surrogates is stored without them', async () => {
    const arena = await newArena();
    await arena.during(async () => {
      const bridge = await welcomed(arena);
      const player = JSON.stringify(playerFrame('char1:nul', { name: 'NAME' })).replace('NAME', 'a\\u0000b\\ud800c');
      bridge.send(`{"type":"players.snapshot","revision":1,"part":0,"last":true,"players":[${player}]}`);
      await expect
        .poll(async () => (await arena.hub.request('/api/v2/players/char1:nul')).body['name'])
        .toBe('a\ufffdb\ufffdc');
    });
  });
});
