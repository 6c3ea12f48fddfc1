import type { Store } from '../../db/store.ts';
import { batchOf, scheduleOf } from '../../tests/kit/batch-rows.ts';
import { commandOf } from '../../tests/kit/databases.ts';

type Command = Parameters<typeof commandOf>[1];

const DAY_MS = 86_400_000;
/** Rows that are committed together. */
const AT_ONCE = 500;
const text = 'x'.repeat(100);

const inPortions = async (rows: number, add: (n: number) => Promise<unknown>): Promise<void> => {
  for (let from = 0; from < rows; from += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, rows - from) }, (_, n) => add(from + n)));
  }
};

const paramsOf = (n: number, reason: string) => ({
  target: `char1:p${n}`,
  type: 'bank',
  amount: n,
  action: 'add',
  reason,
});

/** Payments that have ended. */
export const fillJournal = (
  store: Store,
  projectId: string,
  rows: number,
  { reason = text, ...more }: Command & { reason?: string } = {},
): Promise<void> =>
  inPortions(rows, (n) => {
    const at = Date.now();
    const ended = { status: 'rejected' as const, settledAt: at, createdAt: at, expiresAt: at };
    const params = paramsOf(n, reason);
    const row = commandOf(`cmd_${projectId}_${more?.batchId ?? ''}_${n}`, {
      projectId,
      serverId: 'main',
      params,
      ...ended,
      ...more,
    });
    return store.commands.insert(row, { durable: false });
  });

/** Payments that wait for their players. */
export const fillWaiting = async (
  store: Store,
  projectId: string,
  { rows, serverId = 'main', batchId = null }: { rows: number; serverId?: string; batchId?: string | null },
): Promise<void> => {
  const until = Date.now() + DAY_MS;
  if (batchId !== null) {
    const whole = {
      projectId,
      serverId,
      total: rows,
      written: rows,
      touchedAt: until,
      createdAt: Date.now(),
      expiresAt: until,
    };
    await store.batches.insert(batchOf(batchId, whole));
  }
  await inPortions(rows, (n) => {
    const waiting = {
      status: 'waiting' as const,
      deliver: 'when_online' as const,
      deliverUntil: until,
      expiresAt: until,
      round: 0,
    };
    const params = paramsOf(n, text);
    const row = commandOf(`cmd_${serverId}_${batchId}_${n}`, {
      projectId,
      serverId,
      target: `char1:p${n}`,
      params,
      batchId,
      createdAt: Date.now(),
      ...waiting,
    });
    return store.commands.insert(row, { durable: false });
  });
};

export const fillPlayers = async (store: Store, projectId: string, players: number): Promise<void> => {
  for (let from = 0; from < players; from += AT_ONCE) {
    const records = Array.from({ length: AT_ONCE }, (_, n) => ({
      identifier: `char1:p${from + n}`,
      name: `Player ${from + n}`,
      online: false,
      identifiers: [`license:${from + n}`],
      accounts: { bank: 1 },
      inventory: [],
      vehicles: [],
      metadata: {},
    }));
    await store.players.upsert(projectId, 'main', records, Date.now());
  }
};

export const fillSchedules = async (store: Store, projectId: string, schedules: number): Promise<void> => {
  for (let n = 0; n < schedules; n += 1) {
    const when = { cron: '15,45 2 29 2 *', timeZone: 'Europe/Berlin' };
    await store.schedules.create(scheduleOf(`sch_${n}`, { projectId, when, nextAt: Date.now() + DAY_MS }));
  }
};
