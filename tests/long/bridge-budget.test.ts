import { describe, expect, it } from 'vitest';
import { CLOSE_CODES } from '../../bridge-protocol/index.ts';
import { type Arena, openArena } from '../kit/arena.ts';
import { answerAll, type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';

const MIB = 1_048_576;
const PADDING = 'x'.repeat(240_000);

/** About 190 KB: fifty commands with schemas. */
const CUSTOM = JSON.stringify({
  type: 'commands.custom',
  commands: Array.from({ length: 50 }, (_, n) => ({
    name: `c${n}`,
    params: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 66 }, (__, p) => [`parameter_${n}_${p}`, { type: 'integer', minimum: 1, maximum: 100 }]),
      ),
    },
  })),
});
const UNSUPPORTED = JSON.stringify({ type: 'mystery', padding: 'x'.repeat(1_000) });
const STATUS = JSON.stringify({ type: 'status', padding: PADDING });

const welcomed = ({ hub }: Arena): Promise<RawBridge> => welcomeRaw(hub.bridgeUrl, hub.token);

/** Keeps the socket full of one frame until the hub closes it. */
const flood = async (bridge: RawBridge, frame: string) => {
  const timer = setInterval(() => {
    while (bridge.socket.readyState === 1 && bridge.socket.bufferedAmount < 4 * MIB) bridge.send(frame);
  }, 5);
  try {
    return await bridge.closed(20_000);
  } finally {
    clearInterval(timer);
  }
};

const sendBytes = (bridge: RawBridge, bytes: number, frameOf: (n: number) => string): void => {
  for (let n = 0; n * PADDING.length < bytes; n += 1) bridge.send(frameOf(n));
};

const kick = ({ hub }: Arena) => hub.request('/api/v2/bridge/main/kick', { json: { target: 'char1:probe' } });

describe('the budget of a connection', () => {
  it.each([
    ['commands.custom of 190 KB', CUSTOM],
    ['frames of an unknown type', UNSUPPORTED],
    ['large frames of status', STATUS],
  ])('closes a bridge that never stops saying %s with 4006', { timeout: 30_000 }, async (_name, frame) => {
    const arena = await openArena({ tuning: { overBudgetMs: 1_000 } });
    await arena.during(async () => {
      const { code, reason } = await flood(await welcomed(arena), frame);
      expect([code, JSON.parse(reason)]).toEqual([CLOSE_CODES.over_budget, { code: 'over_budget' }]);
    });
  });

  it('leaves a bridge over it unread for a while, and then goes on', { timeout: 30_000 }, async () => {
    const arena = await openArena();
    await arena.during(async () => {
      const bridge = await welcomed(arena);
      answerAll(bridge, () => ({ status: 'done', data: { kicked: true } }));
      const from = performance.now();
      sendBytes(bridge, 22 * MIB, () => STATUS);
      expect((await kick(arena)).status).toBe(200);
      // 6 MiB more than the burst at 4 MiB a second.
      expect(performance.now() - from).toBeGreaterThan(1_000);
      expect(bridge.isClosed()).toBe(false);
    });
  });

  it('does not count the parts of a snapshot', { timeout: 30_000 }, async () => {
    const arena = await openArena({ tuning: { overBudgetMs: 1 } });
    await arena.during(async () => {
      const bridge = await welcomed(arena);
      answerAll(bridge, () => ({ status: 'done', data: { kicked: true } }));
      const part = (n: number) => ({ type: 'players.snapshot', revision: 1, part: n, last: false, players: [] });
      sendBytes(bridge, 40 * MIB, (n) => JSON.stringify({ ...part(n), padding: PADDING }));
      expect((await kick(arena)).status).toBe(200);
      expect(bridge.isClosed()).toBe(false);
    });
  });
});
