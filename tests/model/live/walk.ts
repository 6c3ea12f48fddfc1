import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, vi } from 'vitest';
import { newFolder } from '../../kit/folder.ts';
import { type Answer, startHub, type TestHub } from '../../kit/hub.ts';
import { type Frame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';
import { createTable, type Entry } from './table.ts';

const WINDOW = 2;
const TTL_S = 30;
/** The number of every request that is refused: nothing of it is stored. */
const REFUSED = 999;

type Order = (n: number) => { name: string; body: object; data: object };
/** The hub treats all exactly-once commands alike, so the events meet each of them in turn. */
const ORDERS: readonly [Order, ...Order[]] = [
  (n) => ({
    name: 'money',
    body: { type: 'bank', amount: n + 1, action: 'add' },
    data: { account: 'bank', before: 0, after: n + 1 },
  }),
  (n) => ({
    name: 'items',
    body: { item: 'bread', count: n + 2, action: 'add', allowPartial: true },
    data: { item: 'bread', before: 0, after: n + 1, applied: n + 1 },
  }),
  (n) => ({
    name: 'vehicles',
    body: { action: 'give', model: 'adder', plate: `N ${n}` },
    data: { plate: `N ${n}`, model: 'adder', garage: null },
  }),
  (n) => ({
    name: 'job',
    body: { job: 'police', grade: n },
    data: { before: { job: 'none', grade: 0 }, after: { job: 'police', grade: n } },
  }),
];
const orderOf: Order = (n) => (ORDERS[n % ORDERS.length] ?? ORDERS[0])(n);
const ABILITIES = { commands: ['money@1', 'items@1', 'vehicles@1', 'job@1'], classes: { 'items@1': 'saved' } };

const whichever = fc.nat({ max: 99 });
const event = <T extends string>(what: T) => fc.record({ what: fc.constant(what), pick: whichever });
const request = fc.record({
  what: fc.constant('request' as const),
  player: fc.nat({ max: 2 }),
  kind: fc.constantFrom('no key' as const, 'key' as const, 'later' as const),
});
const oneEvent = fc.oneof(
  { weight: 6, arbitrary: request },
  { weight: 3, arbitrary: event('answer') },
  { weight: 2, arbitrary: event('repeat') },
  { weight: 2, arbitrary: event('disconnect') },
  { weight: 2, arbitrary: event('reconnect') },
  { weight: 1, arbitrary: event('take back') },
  { weight: 1, arbitrary: event('expire') },
);
/** Events for the commands of one game server. `pick`: a command to which the event can happen. */
export const EVENTS = fc.array(oneEvent, { minLength: 5, maxLength: 25 });
type Event = typeof oneEvent extends fc.Arbitrary<infer E> ? E : never;

/** A hub of one node whose clock can be set forward. */
export const openWalkedHub = async () => {
  const realNow = Date.now;
  let aheadMs = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
  onTestFinished(() => clock.mockRestore());
  const folder = newFolder();
  const env = { DATABASE_URL: `file:${join(folder, 'walk.db')}` };
  const hub = await startHub({ folder, env });
  const passDeadlines = (): void => {
    aheadMs += (TTL_S + 1) * 1000;
  };
  return { hub, passDeadlines };
};

const CODES: Partial<Record<Entry['status'], string>> = { expired: 'expired', voided: 'voided' };

/** One walk: each event goes to the hub and to the table. The name keeps its keys apart from those of other walks. */
export const openWalk = (hub: TestHub, name: string, passDeadlines: () => void) => {
  const table = createTable(WINDOW);
  const told: { entry: Entry; answer: Promise<Answer> }[] = [];
  const ids = new Map<number, string>();
  let bridge: RawBridge | undefined;
  let sequence = 0;

  const ask = ({ n, player, kind }: Pick<Entry, 'n' | 'player' | 'kind'>): Promise<Answer> => {
    const { name: command, body } = orderOf(n);
    return hub.request(`/api/v2/bridge/main/${command}`, {
      json: { target: `p${player}`, ...body, reason: String(n), expiresInSeconds: TTL_S },
      headers: {
        Prefer: kind === 'later' ? 'respond-async' : 'wait=60',
        ...(kind !== 'no key' && { 'Idempotency-Key': `${name}-${n}` }),
      },
    });
  };

  /** The bridge has every command in flight in this session: by its order, or as one that must not start any more. */
  const hasFrames = (): boolean => {
    const frames = bridge?.frames ?? [];
    for (const { type, id, params } of frames as (Frame & { params?: { reason: string } })[]) {
      if (type === 'command' && params !== undefined) ids.set(Number(params.reason), String(id));
    }
    return table.flying().every(({ n }) => frames.some(({ id }) => id !== undefined && id === ids.get(n)));
  };

  /** The hub has come to the state that the table says. */
  const meet = async (): Promise<void> => {
    await eventually(() => hub.hub.commands.sizes()).toEqual(table.sizes());
    if (table.isConnected()) await eventually(hasFrames).toBe(true);
  };

  const reconnect = async (): Promise<void> => {
    if (table.isConnected()) return;
    bridge = await welcomeRaw(hub.bridgeUrl, hub.token, {
      ...ABILITIES,
      instance: 'one',
      limits: { inFlight: WINDOW },
    });
    table.reconnect();
  };

  const disconnect = async (): Promise<void> => {
    if (!table.isConnected()) return;
    bridge?.kill();
    await eventually(() => hub.sizes().sessions).toBe(0);
    table.disconnect();
  };

  const answer = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    sequence += 1;
    const { data } = orderOf(entry.n);
    bridge?.send({ type: 'result', id: ids.get(entry.n), status: 'done', data, sequence });
    table.succeed(entry);
  };

  const requestNew = async ({ player, kind }: Pick<Entry, 'player' | 'kind'>): Promise<void> => {
    const entry = table.request(player, kind);
    if (entry === undefined) {
      expect(await ask({ n: REFUSED, player, kind })).toMatchObject({ status: 503, body: { code: 'bridge_offline' } });
      return;
    }
    const answered = ask(entry);
    if (kind !== 'later') told.push({ entry, answer: answered });
    else expect((await answered).status).toBe(202);
  };

  const repeat = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    table.repeat(entry);
    told.push({ entry, answer: ask({ ...entry, kind: 'key' }) });
  };

  const takeBack = async (entry: Entry | undefined): Promise<void> => {
    if (entry === undefined) return;
    const row = await hub.store.commands.byIdempotencyKey(hub.project.id, `${name}-${entry.n}`);
    const taken = await hub.request(`/api/v2/commands/${row?.id}/void`, { method: 'POST' });
    expect(taken).toMatchObject({ status: 200, body: { status: 'voided' } });
    table.voided(entry);
  };

  const pickOf = (entries: readonly Entry[], pick: number): Entry | undefined => entries[pick % entries.length];

  const act = (happening: Event): Promise<void> | void => {
    switch (happening.what) {
      case 'request':
        return requestNew(happening);
      case 'repeat':
        return repeat(pickOf(table.repeatable(), happening.pick));
      case 'answer':
        return table.isConnected() ? answer(pickOf(table.flying(), happening.pick)) : undefined;
      case 'take back':
        return takeBack(
          pickOf(
            table.queued().filter(({ kind }) => kind !== 'no key'),
            happening.pick,
          ),
        );
      case 'expire':
        passDeadlines();
        return table.expire();
      case 'disconnect':
        return disconnect();
      case 'reconnect':
        return reconnect();
    }
  };

  return {
    take: async (happening: Event): Promise<void> => {
      await act(happening);
      await meet();
    },
    /** Everything is answered; then each caller was told how its command ended. */
    end: async (): Promise<void> => {
      await reconnect();
      await meet();
      while (table.flying().length > 0) {
        answer(table.flying()[0]);
        await meet();
      }
      for (const { entry, answer: given } of told) {
        const { status, body } = await given;
        expect({ n: entry.n, code: status === 200 ? undefined : body.code }).toEqual({
          n: entry.n,
          code: CODES[entry.status],
        });
      }
      await disconnect();
    },
  };
};
