import { describe, expect, it } from 'vitest';
import { type Arena, openArena } from '../kit/arena.ts';
import { heapMiB, heldMiB } from '../kit/memory.ts';
import { playerFrame } from '../kit/raw-bridge.ts';
import { type Tcp, wireFrame, wireMessage } from '../kit/raw-tcp.ts';

const FRAMES = 10_000;
/** Memory during the flood, with uncollected garbage; and memory after it. */
const MAX_HELD_MIB = 320;
const MAX_LEFT_MIB = 16;

const flood = (count: number, frame: (n: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, n) => frame(n)));
const always = (message: object): ((n: number) => Buffer) => {
  const frame = wireMessage(message);
  return () => frame;
};

/** Everything before it has been read when its marker is acknowledged. */
const drained = async (tcp: Tcp, withinMs = 20_000): Promise<void> => {
  tcp.send(wireMessage({ type: 'result', id: 'the-marker', status: 'voided' }));
  await tcp.reads('the-marker', withinMs);
};

/** Sends the flood as fast as TCP takes it; neither the bystander nor the memory of the hub notices. */
const withstand = async (arena: Arena, bytes: Buffer, end: (tcp: Tcp) => Promise<void> = drained): Promise<void> => {
  const tcp = await arena.welcomeTcp();
  const before = heapMiB();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, heldMiB(before + MAX_HELD_MIB));
  }, 5);
  try {
    await arena.during(async () => {
      tcp.send(bytes);
      await end(tcp);
    });
  } finally {
    clearInterval(watch);
  }
  expect(most - before).toBeLessThan(MAX_HELD_MIB);
  tcp.reset();
  await expect.poll(() => arena.hub.sizes().connections).toBe(1);
  expect(heapMiB() - before).toBeLessThan(MAX_LEFT_MIB);
};

describe('a flood of 10,000 frames', () => {
  it.each([
    ['status', always({ type: 'status', players: { online: 1 }, tickMs: 1 })],
    ['pong', always({ type: 'pong', n: 1, now: 1 })],
    ['error', always({ type: 'error', code: 'a', message: 'b' })],
    ['received for unknown ids', always({ type: 'received', ids: ['a', 'b'] })],
    ['unknown types', always({ type: '' })],
    ['players.record without a request', always({ type: 'players.record', id: 'a' })],
    ['players.changed before any snapshot', (n: number) => wireMessage({ type: 'players.changed', revision: n })],
  ])(
    'of %s',
    async (_name, frame) => {
      const arena = await openArena();
      await withstand(arena, flood(FRAMES, frame));
    },
    60_000,
  );

  it.each([
    ['bad frames', wireFrame('?')],
    ['binary frames', wireFrame('', { opcode: 2 })],
    ['pings of WebSocket', wireFrame('', { opcode: 9 })],
    ['farewells', wireMessage({ type: 'bye' })],
    ['hellos', wireMessage({ type: 'hello' })],
  ])(
    'of %s, which close the socket',
    async (_name, frame) => {
      const arena = await openArena();
      await withstand(
        arena,
        flood(FRAMES, () => frame),
        async (tcp) => {
          await tcp.ended();
          tcp.socket.end();
        },
      );
    },
    60_000,
  );
});

describe('a flood', () => {
  it('of the same stray result is kept once', async () => {
    const arena = await openArena();
    await withstand(
      arena,
      flood(20_000, () => wireMessage({ type: 'result', id: 'a', status: 'done' })),
    );
  }, 60_000);

  it('of results with ids as long as they may be is acknowledged in frames that fit', async () => {
    const arena = await openArena();
    const id = (n: number): string => String(n).padStart(64, '\u0001');
    await withstand(
      arena,
      flood(20_000, (n) => wireMessage({ type: 'result', id: id(n), status: 'voided' })),
    );
  }, 60_000);

  it('of results from a bridge that does not read is held back, and answered when it reads', async () => {
    const arena = await openArena();
    const id = (n: number): string => String(n).padStart(64, '\u0001');
    await withstand(
      arena,
      flood(40_000, (n) => wireMessage({ type: 'result', id: id(n), status: 'voided' })),
      async (tcp) => {
        tcp.socket.pause();
        let unsent = Number.POSITIVE_INFINITY;
        const isHeld = (): boolean => {
          const before = unsent;
          unsent = tcp.socket.writableLength;
          return before === unsent;
        };
        await expect.poll(isHeld, { interval: 750, timeout: 20_000 }).toBe(true);
        tcp.socket.resume();
        await drained(tcp);
      },
    );
  }, 60_000);

  it('of whole snapshots is applied one after the other', async () => {
    const arena = await openArena();
    const players = Array.from({ length: 200 }, (_, n) => playerFrame(`char1:${n}`));
    await withstand(
      arena,
      flood(50, (revision) => wireMessage({ type: 'players.snapshot', revision, part: 0, last: true, players })),
    );
  }, 60_000);

  it('of revisions with gaps is answered with one resync a second', async () => {
    const arena = await openArena();
    const bytes = flood(5_000, (n) =>
      Buffer.concat([
        wireMessage({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [] }),
        wireMessage({ type: 'players.changed', revision: 2 + (n % 7) + 1 }),
      ]),
    );
    await withstand(arena, bytes);
  }, 60_000);
});
