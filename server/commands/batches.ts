import { setTimeout as pause } from 'node:timers/promises';
import { playerParamOf } from '../../bridge-protocol/index.ts';
import { readAsking } from '../../db/queries/commands/asks.ts';
import type { BatchCounts, BatchRow, WholeBatch } from '../../db/queries/commands/batches.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { type CommandStatus, isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import type { Events } from '../cluster/events.ts';
import type { Background } from '../platform/background.ts';
import { derivedCommandId, fingerprintOf } from '../platform/ids.ts';
import type { Asked } from './asked.ts';
import type { LiveCommands } from './command.ts';
import type { Delivery } from './delivery.ts';

/** Rows that are stored at once, so that other work runs in between. */
const ROWS_AT_ONCE = 50;
/** The longest rest after a step: a step takes about ten milliseconds, and much longer only if the machine stood still. */
const MOST_REST_MS = 50;
/** A batch on which no node has worked for this long is taken over, and one of which no command was stored. */
const FORGOTTEN_MS = 10_000;
const LOOK_EVERY_MS = 5_000;

const WITHOUT_EFFECT: readonly CommandStatus[] = ['failed', 'rejected', 'expired'];
const sum = (counts: BatchCounts, isCounted: (status: CommandStatus) => boolean): number =>
  Object.entries(counts).reduce((total, [status, rows]) => total + (isCounted(status as CommandStatus) ? rows : 0), 0);

/** How many commands of a batch have ended. */
export const endedOf = (counts: BatchCounts): number => sum(counts, isSettled);

/** Whether so many of a batch's first commands had no effect that the rest must not be sent. */
const isToAbort = ({ abort, endedBy }: BatchRow, counts: BatchCounts): boolean => {
  if (abort === null || endedBy !== null) return false;
  const ended = endedOf(counts);
  const failed = sum(counts, (status) => WITHOUT_EFFECT.includes(status));
  return ended >= abort.after && failed * 100 > abort.failedPercent * ended;
};

/** The hub's own key of a command: callers cannot send it. */
const keyOf = ({ id }: BatchRow, player: string): string => `batch/${id}/${player}`;

/**
 * The command of a batch for one player. Its id is made of the player, so that two identifiers of one player are one
 * command. It also has a key: a linked identifier that belongs to another player when its step is repeated does not get a
 * second command. The command is rejected for a player that the server does not have.
 */
const rowOf = async (
  { players }: Pick<Store, 'players'>,
  batch: BatchRow,
  { target, at }: { target: string; at: number },
): Promise<CommandRow> => {
  const { projectId, serverId, name, params, roles } = batch;
  const aimed = { ...params, [playerParamOf(roles ?? undefined)]: target };
  const meant = await players.meant(projectId, serverId, target);
  const player = meant === 'own' ? target : meant.length === 1 ? meant[0]?.identifier : undefined;
  const problem = meant === 'own' || meant.length === 1 ? null : 'The server has no such player, or more than one.';
  return {
    id: derivedCommandId(projectId, serverId, name, keyOf(batch, player ?? target)),
    projectId,
    serverId,
    name,
    class: 'exactly-once',
    target: player ?? target,
    params: aimed,
    fingerprint: fingerprintOf(serverId, name, aimed),
    status: problem === null ? 'waiting' : 'rejected',
    idempotencyKey: meant === 'own' ? null : keyOf(batch, target),
    actor: batch.actor,
    requestId: batch.requestId,
    attempts: 0,
    epoch: null,
    sessionId: null,
    voidRequested: false,
    result: null,
    error: problem === null ? null : { code: 'player_not_found', message: problem },
    createdAt: at,
    expiresAt: batch.expiresAt,
    dispatchedAt: null,
    settledAt: problem === null ? null : at,
    resolution: null,
    journalId: null,
    crashes: null,
    restoredAt: null,
    deliver: batch.deliver,
    deliverUntil: batch.expiresAt,
    round: 0,
    batchId: batch.id,
    roles,
  };
};

type WriterParts = {
  store: Pick<Store, 'batches' | 'commands' | 'players' | 'servers'>;
  live: Pick<LiveCommands, 'insert'>;
  delivery: Pick<Delivery, 'addedAll'>;
  now: () => number;
};

/** Stores the commands of a batch from where the last node stopped, and lets them leave. */
const createRowWriter = ({
  store,
  live,
  delivery,
  now,
  rowsAtOnce,
  end,
  note,
  asked,
}: WriterParts & {
  asked: Asked;
  rowsAtOnce: number;
  end: (batch: BatchRow, by: 'voided') => Promise<BatchRow>;
  /** There is news of the batch. */
  note: (batch: BatchRow) => void;
}) => {
  /** Its server was deleted. Another one may have the name. */
  const hasLostServer = async ({ projectId, serverId, createdAt }: BatchRow): Promise<boolean> => {
    const server = await store.servers.get(projectId, serverId);
    return server === undefined || server.deletingAt !== null || server.createdAt > createdAt;
  };

  return async ({ targets, ...batch }: WholeBatch): Promise<void> => {
    const { id, projectId, total } = batch;
    if (await hasLostServer(batch)) return void (await end(batch, 'voided'));
    for (let from = batch.written; from < total; from += rowsAtOnce) {
      const since = performance.now();
      const some = targets.slice(from, from + rowsAtOnce);
      const rows = await Promise.all(some.map((target) => rowOf(store, batch, { target, at: now() })));
      const stored = (await Promise.all(rows.map((row) => live.insert(row)))).map((each) =>
        'existing' in each ? each.existing : each.inserted,
      );
      // Both are read after the commands are stored: an end of the batch, or of its server, that comes later takes them back.
      if (await hasLostServer(batch)) await end(batch, 'voided');
      if ((await store.batches.get(projectId, id))?.endedBy !== null) return;
      await delivery.addedAll(stored.filter(({ status }) => status === 'waiting'));
      asked(stored.filter((row) => readAsking(row) !== undefined));
      note(batch);
      // Undefined: another node is ahead.
      if ((await store.batches.advance(id, Math.min(from + rowsAtOnce, total), now())) === undefined) return;
      // Single commands get half of the time.
      await pause(Math.min(performance.now() - since, MOST_REST_MS));
    }
  };
};

/**
 * Stores the commands of batches, reports their progress, and ends them. Each command's id is made from the batch and
 * the target, so two nodes that work on one batch store each command once.
 */
export const createBatches = ({
  store,
  live,
  delivery,
  events,
  asked,
  background,
  now,
  rowsAtOnce = ROWS_AT_ONCE,
}: WriterParts & {
  events: Pick<Events, 'publish'>;
  /** Restored commands became ones to ask about. */
  asked: Asked;
  background: Background;
  rowsAtOnce?: number | undefined;
}) => {
  /** Batches with news since the last report, by id; the value is their project. */
  const news = new Map<string, string>();
  const writing = new Set<string>();
  let lookAt = 0;

  /** Ends the commands of a batch that have not left; restored ones are asked about. */
  const takeBackRest = async (id: string): Promise<void> => {
    await store.commands.voidBatch(id, now());
    while (true) {
      const rows = await store.commands.askBatch(id, now());
      if (rows.length === 0) return;
      asked(rows);
    }
  };

  const end = async (batch: BatchRow, by: 'voided' | 'aborted'): Promise<BatchRow> => {
    const ended = await store.batches.end(batch.id, by, now());
    await takeBackRest(batch.id);
    news.set(batch.id, batch.projectId);
    return ended ?? (await store.batches.get(batch.projectId, batch.id)) ?? batch;
  };

  const note = ({ id, projectId }: Pick<BatchRow, 'id' | 'projectId'>): void => void news.set(id, projectId);
  const writeRows = createRowWriter({ store, live, delivery, now, rowsAtOnce, end, note, asked });

  const write = async (id: string): Promise<void> => {
    const batch = await store.batches.whole(id);
    if (batch?.status !== 'writing') return;
    if (batch.endedBy === null) await writeRows(batch);
    const left = await store.batches.get(batch.projectId, id);
    if (left?.endedBy !== null) await takeBackRest(id);
    await store.batches.finishWriting(id, now());
    news.set(id, batch.projectId);
  };

  const startWriting = (id: string): void => {
    if (writing.has(id)) return;
    writing.add(id);
    background.run('write a batch', () => write(id).finally(() => writing.delete(id)));
  };

  const report = async (id: string, projectId: string): Promise<void> => {
    const batch = await store.batches.touch(id, now());
    if (batch === undefined || batch.projectId !== projectId) return;
    // The node that ended it may have stopped before this.
    if (batch.endedBy !== null) await takeBackRest(id);
    const counts = await store.batches.counts(id);
    const data = { id, label: batch.label, total: batch.total, counts };
    const stored = sum(counts, () => true);
    const isOver = batch.status === 'running' && endedOf(counts) === stored;
    if (isOver && (await store.batches.settle(id, now())) !== undefined) {
      return events.publish(projectId, { type: 'batch.settled', serverId: batch.serverId, data });
    }
    events.publish(projectId, { type: 'batch.progress', serverId: batch.serverId, data });
    if (isToAbort(batch, counts)) await end(batch, 'aborted');
  };

  /** Goes on with batches whose commands are not all stored, and of which none was stored since. */
  const resume = async (writtenBefore: number): Promise<void> => {
    for (const { id, projectId } of await store.batches.unwritten(writtenBefore)) {
      startWriting(id);
      news.set(id, projectId);
    }
  };

  const takeOver = async (): Promise<void> => {
    if (performance.now() < lookAt) return;
    lookAt = performance.now() + LOOK_EVERY_MS;
    for (const { id, projectId } of await store.batches.forgotten(now() - FORGOTTEN_MS)) news.set(id, projectId);
    await resume(now() - FORGOTTEN_MS);
  };

  return {
    /** On the start of a hub that is alone: no other process stores commands. */
    restore: (): Promise<void> => resume(Number.MAX_SAFE_INTEGER),
    /** A batch was stored: its commands follow. */
    begin: ({ id, projectId }: BatchRow): void => {
      news.set(id, projectId);
      startWriting(id);
    },
    /** A command of a batch has ended, or waits again. */
    note: ({ batchId, projectId }: CommandRow): void => {
      if (batchId !== null) news.set(batchId, projectId);
    },
    /** Takes back all commands of a batch that have not left. */
    void: (batch: BatchRow): Promise<BatchRow> => end(batch, 'voided'),
    /** Once a second: reports batches with news, ends them, and takes over those of nodes that are gone. */
    tick: async (): Promise<void> => {
      await takeOver();
      const due = [...news];
      news.clear();
      for (const [id, projectId] of due) await report(id, projectId);
    },
  };
};
export type Batches = ReturnType<typeof createBatches>;
