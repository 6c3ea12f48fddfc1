import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Store } from '../../db/store.ts';
import type { Router } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Asked } from './asked.ts';
import { isExactlyOnce } from './catalogue.ts';
import { isUnwritten, type LiveCommands } from './command.ts';
import type { Queues } from './queue.ts';
import type { Send } from './send.ts';
import type { Unsent } from './unsent.ts';

const KEPT_AFTER_OUTCOME_MS = 7 * 24 * 60 * 60 * 1000;
const ABANDONED_AFTER_MS = 7 * 24 * 60 * 60 * 1000;
const TIDY_ROWS = 200;
const TIDY_STEPS = 500;

/** Repeats `step` until no rows are left. Each step is a small commit, so that other work runs in between. */
const inSteps = async (step: (rows: number) => Promise<number>): Promise<void> => {
  for (let n = 0; n < TIDY_STEPS; n += 1) if ((await step(TIDY_ROWS)) < TIDY_ROWS) return;
};

/**
 * Ends late commands of this node (four times a second), those that waited too long (once a second), and late rows and
 * old idempotency keys (once a minute).
 */
export const createExpire = ({
  store,
  router,
  live,
  queues,
  send,
  unsent,
  announce,
  asked,
  background,
  metrics,
  now,
}: {
  store: Pick<Store, 'commands' | 'servers' | 'strayResults'>;
  router: Router;
  live: LiveCommands;
  queues: Queues;
  send: Send;
  unsent: Unsent;
  announce: (row: CommandRow) => void;
  /** Restored commands became ones to ask about. */
  asked: Asked;
  background: Background;
  metrics: Metrics;
  now: () => number;
}) => {
  const expireRow = async ({ id }: CommandRow): Promise<void> => {
    const command = live.find(id);
    if (command !== undefined) await send.expire(command);
    else await unsent.expire(id);
  };

  const abandon = async (): Promise<void> => {
    for (const row of await store.commands.abandonedBefore(now() - ABANDONED_AFTER_MS, TIDY_ROWS)) {
      const error = { code: 'indeterminate', message: 'The bridge did not come back for seven days.' };
      const server = await store.servers.get(row.projectId, row.serverId);
      const rows = await store.commands.indeterminate({
        projectId: row.projectId,
        ids: [row.id],
        error,
        journalId: isExactlyOnce(row.name) ? (server?.journalId ?? null) : null,
        at: now(),
      });
      for (const settled of rows) announce(settled);
    }
  };

  const endOverdue = async (): Promise<void> => {
    for (let rows = TIDY_ROWS; rows >= TIDY_ROWS; ) {
      const expired = await store.commands.expireWaiting(now(), TIDY_ROWS);
      for (const row of expired) announce(row);
      rows = expired.length;
    }
    for (let rows = TIDY_ROWS; rows >= TIDY_ROWS; ) {
      const toAsk = await store.commands.askOverdue(now(), TIDY_ROWS);
      asked(toAsk);
      rows = toAsk.length;
    }
  };

  return {
    expireRow,
    /** Ends commands whose server or player did not come in time. */
    endOverdue,
    /** Expires queued commands, sends `void` for late commands in flight, and frees the places of late kicks. */
    sweep: (): void => {
      live.sweepCallers();
      metrics.waiting.set(live.callers());
      const at = now();
      for (const queue of queues.all()) {
        for (const command of queue.waiting()) {
          if (command.expiresAt <= at) background.run('expire', () => send.expire(command));
          // A command that waits longer than one sweep must be visible in the journal.
          else if (isUnwritten(command)) background.run('store', () => send.keep(command));
        }
        for (const { id, wireId, projectId, serverId, isUrgent } of queue.overdue(at)) {
          router.find(projectId, serverId)?.send({ type: 'void', id: wireId });
          if (isUrgent) live.release(id);
        }
        queue.pump();
      }
      queues.prune();
      const { waiting, flying } = queues.totals();
      metrics.queued.set(waiting);
      metrics.inFlight.set(flying);
    },
    /** Commands that no queue holds any more, abandoned ones, idempotency keys past their retention, old stray results. */
    tidy: async (): Promise<void> => {
      for (const row of await store.commands.dueAccepted(now(), TIDY_ROWS)) await expireRow(row);
      await abandon();
      const before = now() - KEPT_AFTER_OUTCOME_MS;
      await inSteps((rows) => store.commands.forgetKeys(before, rows));
      await inSteps((rows) => store.strayResults.prune(before, rows));
    },
  };
};
