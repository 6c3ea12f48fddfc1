import { describe, expect, it } from 'vitest';
import { decodeBridgeMessage, type OutcomeStatus } from '../../bridge-protocol/index.ts';
import { createRandom, type Random } from '../../simulator/random.ts';
import { openArena } from '../kit/arena.ts';
import { type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';

const FRAMES = 20_000;
const TRUTHS = 40;
const KEPT_STRAYS = 4_096;
const SEED = 20_261_121;
const LATER = { Prefer: 'respond-async' };

type ResultFrame = {
  type: 'result';
  id: string;
  status: OutcomeStatus;
  data?: Record<string, unknown>;
  error?: { code: string; message: string; details?: Record<string, unknown> };
  sequence?: number;
};
/** Ids of commands that the bridge cannot settle (any more), by kind. They may change; kinds may be empty. */
type FuzzedIds = Record<string, readonly string[]>;

const STATUSES = ['done', 'failed', 'rejected', 'voided', 'indeterminate'] as const;
const CODES = ['insufficient_funds', 'player_not_found', 'internal_error', 'bridge_offline', 'no code', ''] as const;
const ACCOUNTS = ['cash', 'Bank', '__proto__', ''] as const;
const NO_NUMBERS = ['1', null, 1.5, [], {}] as const;
const TEXTS = [
  '',
  'a',
  '\u0000',
  '\ud800',
  '💸'.repeat(20),
  '__proto__',
  "'; DROP TABLE commands; --",
  '\u202e',
] as const;
const IDS = ['__proto__', 'constructor', 'cmd_', '\u0000', ' ', 'x'.repeat(64)] as const;
const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789_-/.\u0001é💸';
const REPEATED_OF = 64;
const MAX_SEQUENCE = 1_000_000;

type Make = (random: Random) => Record<string, unknown>;
const DATA: readonly [Make, ...Make[]] = [
  (random) => ({ account: 'bank', before: random.int(-9, 9), after: random.int(-9, 9) }),
  (random) => ({ account: random.pick(ACCOUNTS), before: 1, after: 2 }),
  (random) => ({ account: 'bank', before: random.pick<unknown>(NO_NUMBERS), after: 2 ** 53 }),
  () => ({ kicked: true }),
  () => ({}),
  () => JSON.parse('{"__proto__":{"status":"succeeded"},"constructor":1,"toString":null}'),
  (random) => ({ status: 'succeeded', id: 'cmd_1', deep: { deeper: [{ deepest: random.pick(TEXTS) }] } }),
  (random) => ({ long: 'x'.repeat(random.int(0, 4_000)) }),
];

/**
 * Results that are valid frames with false contents: late, repeated, out of order, contradicting, of commands that
 * belong to others, were never sent or never existed. The same seeds give the same frames for the same ids.
 */
const createFuzzedResults = ({ random, ids }: { random: Random; ids: FuzzedIds }) => {
  const earlier: ResultFrame[] = [];
  const delayed: ResultFrame[] = [];
  const oneOf = <T>(items: readonly T[]): T | undefined => items[random.int(0, items.length - 1)];

  const idOf = (): string => {
    const known = random.chance(0.5) ? oneOf(ids[oneOf(Object.keys(ids)) ?? ''] ?? []) : undefined;
    if (known !== undefined) return known;
    return random.chance(0.2) ? random.pick(IDS) : random.text(ID_LETTERS, random.int(1, 32));
  };

  const invent = (): ResultFrame => {
    const frame: ResultFrame = { type: 'result', id: idOf(), status: random.pick(STATUSES) };
    if (random.chance(0.6)) frame.data = random.pick(DATA)(random);
    if (random.chance(0.4)) {
      frame.error = { code: random.pick(CODES), message: random.pick(TEXTS) };
      if (random.chance(0.3)) frame.error.details = { balance: random.int(-5, 5), text: random.pick(TEXTS) };
    }
    if (random.chance(0.5)) frame.sequence = random.int(0, MAX_SEQUENCE);
    return frame;
  };

  return {
    next: (): ResultFrame => {
      const again = random.chance(0.15) ? oneOf(earlier) : undefined;
      if (again !== undefined) return again;
      const frame = invent();
      earlier[random.int(0, Math.min(earlier.length, REPEATED_OF - 1))] = frame;
      if (!random.chance(0.2)) return frame;
      delayed.push(frame);
      if (delayed.length < REPEATED_OF) return frame;
      return delayed.splice(random.int(0, delayed.length - 1), 1)[0] ?? frame;
    },
  };
};

const acknowledged = (bridge: RawBridge): number =>
  bridge.frames.reduce((sum, { type, ids }) => sum + (type === 'ack' && Array.isArray(ids) ? ids.length : 0), 0);

describe('20,000 results that are no truths', () => {
  it('settle nothing, close nothing, do not fill the disk, and each is acknowledged', async () => {
    const { hub, closes } = await openArena();
    const money = async (server: string, target: string, headers = LATER): Promise<string> => {
      const json = { target, type: 'bank', amount: 5, action: 'add', expiresInSeconds: 3600 };
      return (await hub.request(`/api/v2/bridge/${server}/money`, { json, headers })).body.id ?? '';
    };
    const statusOf = async (id: string) => (await hub.request(`/api/v2/commands/${id}`)).body;
    const other = await welcomeRaw(hub.bridgeUrl, await hub.newServer('other'));
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const openElsewhere = [await money('other', 'ana')];
    const inFlight = await money('main', 'ana');
    await Promise.all([other.command(), bridge.command()]);
    other.send({ type: 'received', ids: openElsewhere });
    bridge.send({ type: 'received', ids: [inFlight] });
    const waiting = [await money('main', 'ana'), await money('main', 'ana')];

    const settled: string[] = [];
    const fuzz = createFuzzedResults({ random: createRandom(SEED), ids: { openElsewhere, waiting, settled } });
    for (let n = 1; n <= FRAMES; n += 1) {
      const frame = fuzz.next();
      decodeBridgeMessage(JSON.stringify(frame));
      bridge.send(frame);
      if (n % (FRAMES / TRUTHS) > 0) continue;
      const id = await money('main', `player-${n}`);
      await bridge.command(settled.length + 2);
      bridge.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: n, after: n + 5 } });
      bridge.send({ type: 'result', id, status: 'rejected', error: { code: 'insufficient_funds', message: 'No.' } });
      settled.push(id);
    }
    await expect.poll(() => acknowledged(bridge)).toBe(FRAMES + 2 * TRUTHS);

    expect([bridge.isClosed(), other.isClosed()]).toEqual([false, false]);
    expect(await closes('protocol_violation')).toBe(0);
    for (const [index, id] of settled.entries()) {
      const before = ((index + 1) * FRAMES) / TRUTHS;
      expect(await statusOf(id)).toMatchObject({ status: 'succeeded', result: { before, after: before + 5 } });
    }
    for (const id of [inFlight, ...openElsewhere]) expect(await statusOf(id)).toMatchObject({ status: 'dispatched' });
    for (const id of waiting) expect(await statusOf(id)).toMatchObject({ status: 'accepted' });
    for (const [index, id] of [inFlight, ...waiting].entries()) {
      if (index > 0) expect((await bridge.command(settled.length + 1 + index)).id).toBe(id);
      bridge.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: index, after: index + 5 } });
      await expect.poll(() => statusOf(id)).toMatchObject({ status: 'succeeded', result: { before: index } });
    }
    const kept = await hub.store.strayResults.list(hub.project.id, 'main', FRAMES);
    expect(kept.length).toBeGreaterThan(1_000);
    expect(kept.length).toBeLessThanOrEqual(KEPT_STRAYS);
  });
});
