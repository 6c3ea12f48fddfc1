import { join } from 'node:path';
import { expect } from 'vitest';
import { openStream } from './event-stream.ts';
import { newFolder } from './folder.ts';
import { createEconomy, startGameServer } from './game-server.ts';
import { type Answer, type HubOptions, startHub, type TestHub } from './hub.ts';
import { changeRows } from './hub-database.ts';
import { openLine } from './line.ts';

export { createGate } from './gate.ts';

export const ANA = 'char1:ana';
export const PAY = 100;

const NEVER = ['failed', 'rejected', 'voided', 'expired'];
const FINAL = ['succeeded', 'indeterminate', ...NEVER];

type Row = { id: string; status: string; executed: string; attempts: number; error?: { message: string } };
type Options = Pick<Parameters<typeof startGameServer>[0], 'journal' | 'before' | 'sending' | 'silenceMs'>;

/** A condition that is waited for; nothing here sleeps. */
export const eventually = <T>(look: () => T) => expect.poll(look, { interval: 40, timeout: 30_000 });

/** Changes a hub's rows as time or an accident would. */
export const rewrite = (hub: TestHub, statement: string, ...values: (string | number)[]): Promise<void> =>
  changeRows(hub.folder, statement, values);

export const commandsOf = async (hub: TestHub): Promise<Row[]> =>
  (await hub.request('/api/v2/commands?limit=200')).body['data'] as Row[];

/** The data of the events of one type that have come. */
export const listen = async (hub: TestHub, type: string): Promise<() => Record<string, unknown>[]> => {
  const { events } = await openStream(hub, { query: `?types=${type}` });
  return () => events().map(({ data }) => data);
};

/** A money command of 100 to Ana; undefined: the connection broke before there was an answer. */
export const pay = (
  hub: TestHub,
  headers: Record<string, string> = {},
  more: object = {},
): Promise<Answer | undefined> =>
  hub
    .request('/api/v2/bridge/main/money', {
      json: { target: ANA, type: 'bank', amount: PAY, action: 'add', ...more },
      headers: { 'Idempotency-Key': 'payday', ...headers },
    })
    .catch(() => undefined);

/** A hub, a game server with Ana in it, and the line between them, each of which can break. */
export const openStage = async ({
  tuning = {},
  start = startHub,
  ...options
}: Options & Pick<HubOptions, 'tuning'> & { start?: typeof startHub } = {}) => {
  const economy = createEconomy({ [ANA]: 0 });
  const folder = newFolder();
  const first = await start({ tuning });
  let hub = first;
  const line = await openLine(() => hub.bridgePort);
  const welcomed = (): Promise<void> =>
    eventually(() => hub.sizes().sessions > 0 && game.bridge.state).toBe('welcomed');
  const startGame = (more: Options = {}) =>
    startGameServer({ url: () => line.url, token: first.token, folder, economy, ...options, ...more });
  let game = startGame();
  await welcomed();

  const appliedTo = (id: string): number => economy.applied.filter((effect) => effect.id === id).length;

  return {
    economy,
    line,
    journalFile: join(folder, 'journal.jsonl'),
    welcomed,
    hub: (): TestHub => hub,
    game: () => game,
    bank: (): number | undefined => economy.banks.get(ANA),
    /** The next process over the same database, which the bridge finds by itself. */
    nextHub: async (): Promise<TestHub> => {
      hub = await startHub({ tuning, folder: first.folder });
      await welcomed();
      return hub;
    },
    /** The game server's next process over the same journal. */
    nextGame: async (more: Options = {}) => {
      game = startGame(more);
      await welcomed();
      return game;
    },
    /** The only command, when it is over: what the hub's answer about it must be true. */
    ending: async (): Promise<Row> => {
      await eventually(async () => (await commandsOf(hub)).map(({ status }) => FINAL.includes(status))).toEqual([true]);
      const [row] = await commandsOf(hub);
      if (row === undefined) throw new Error('there is no command');
      expect(appliedTo(row.id)).toBeLessThanOrEqual(1);
      if (row.status === 'succeeded') expect(appliedTo(row.id)).toBe(1);
      if (NEVER.includes(row.status)) expect(appliedTo(row.id)).toBe(0);
      return row;
    },
  };
};
export type Stage = Awaited<ReturnType<typeof openStage>>;
