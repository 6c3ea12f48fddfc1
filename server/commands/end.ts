import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import { isSettled, type StoredError } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import { createTurns } from '../../db/turns.ts';
import { type Address, addressOf } from '../cluster/router.ts';
import { HubError } from '../platform/errors.ts';
import { isExactlyOnce } from './catalogue.ts';
import { withKnownBalance } from './known-balance.ts';
import { wireIdOf } from './outcome.ts';
import type { Core } from './run.ts';
import { executedOf } from './view.ts';

/** Rows that are ended at once: other work runs between two steps. */
const STEP = 200;
const KEPT_AFTER_OUTCOME_MS = 7 * 24 * 60 * 60 * 1000;
const ABANDONED_AFTER_MS = 7 * 24 * 60 * 60 * 1000;
const TIDY_STEPS = 500;

/** Repeats a step until it changes no rows. Each step is a small commit, so that other work runs in between. */
export const untilNone = async (
  step: () => Promise<CommandRow[]>,
  then: (rows: readonly CommandRow[]) => void,
): Promise<void> => {
  for (let rows = await step(); rows.length > 0; rows = await step()) then(rows);
};

/** Repeats a step that returns how many rows it has changed. */
const inSteps = async (step: (rows: number) => Promise<number>): Promise<void> => {
  for (let n = 0; n < TIDY_STEPS; n += 1) if ((await step(STEP)) < STEP) return;
};

/** The parts that ending rows needs without a running hub, as in the command line. */
type RowParts = { store: Pick<Store, 'commands' | 'players'>; announce: (row: CommandRow) => void };

/** Gives up commands of one project. The bridge with the journal `journalOf` a row may still report how it ended. */
export const giveUp = async (
  { store, announce }: RowParts,
  rows: readonly CommandRow[],
  { message, journalOf }: { message: string; journalOf: (row: CommandRow) => string | null },
): Promise<void> => {
  const [first] = rows;
  if (first === undefined) return;
  const error = { code: 'indeterminate', message };
  const { projectId } = first;
  const end = async (some: readonly CommandRow[], why: StoredError, journalId: string | null): Promise<void> => {
    const ids = some.map(({ id }) => id);
    if (ids.length === 0) return;
    const changed = await store.commands.indeterminate({ projectId, ids, error: why, journalId, at: Date.now() });
    for (const row of changed) announce(row);
  };
  for (const journalId of new Set(rows.map(journalOf))) {
    const some = rows.filter((row) => journalOf(row) === journalId);
    await end(
      some.filter(({ name }) => name !== 'money'),
      error,
      journalId,
    );
    for (const row of some.filter(({ name }) => name === 'money')) {
      await end([row], await withKnownBalance(store, row, error), journalId);
    }
  }
};

/** The journal that knows how a command ended: the one that it was sent to, or the one of its server. No kick is in one. */
const reporterOf =
  (ofServer: string | null) =>
  ({ name, journalId }: CommandRow): string | null =>
    isExactlyOnce(name) ? (journalId ?? ofServer) : null;

/** Four times a second: expires queued commands, sends `void` for late ones in flight, and frees the slots of late kicks. */
export const sweepQueues = ({ router, live, run, background, metrics }: Core): void => {
  const { queues } = run;
  live.sweepCallers();
  metrics.waiting.set(live.sizes().callers);
  const at = Date.now();
  for (const queue of queues.all()) {
    for (const command of queue.queued()) {
      if (command.expiresAt <= at) background.run('expire', () => run.expire(command.id));
      // A command that is queued for longer than one sweep must be visible in the journal.
      else if (command.isUnwritten) background.run('store', () => run.ensureStored(command));
    }
    for (const { id, wireId, projectId, serverId, isUrgent } of queue.overdue(at)) {
      router.find(projectId, serverId)?.send({ type: 'void', id: wireId });
      if (isUrgent) live.release(id);
    }
    queue.pump();
  }
  queues.prune();
  const { queued, inFlight } = queues.totals();
  metrics.queued.set(queued);
  metrics.inFlight.set(inFlight);
};

/** Once a second: ends commands whose server or player did not come in time. */
export const endOverdue = async ({ store, run }: Core): Promise<void> => {
  await untilNone(
    () => store.commands.expireWaiting(Date.now(), STEP),
    (rows) => {
      for (const row of rows) run.announce(row);
    },
  );
  await untilNone(() => store.commands.askOverdue(Date.now(), STEP), run.asked);
};

/**
 * Once a minute: ends commands that no queue holds any more and those without an outcome, and forgets old idempotency keys
 * and stray results.
 */
export const tidy = async ({ store, live, run }: Core): Promise<void> => {
  for (const { id } of await store.commands.dueAccepted(Date.now(), STEP)) if (!live.hasSlot(id)) await run.expire(id);
  for (const row of await store.commands.abandonedBefore(Date.now() - ABANDONED_AFTER_MS, STEP)) {
    const server = await store.servers.get(row.projectId, row.serverId);
    const message = 'The bridge has reported no outcome for seven days.';
    const journalOf = reporterOf(server?.journalId ?? null);
    await giveUp({ store, announce: run.announce }, [row], { message, journalOf });
  }
  const before = Date.now() - KEPT_AFTER_OUTCOME_MS;
  await inSteps((rows) => store.commands.forgetKeys(before, rows));
  await inSteps((rows) => store.strayResults.prune(before, rows));
};

const NOT_SENT = { code: 'voided', message: 'The game server was deleted before the command was sent.' };
const NOT_ANSWERED = 'The game server was deleted before its bridge answered.';

/** The rows of a server that is deleted. Without `announce`, hubs read the outcomes from the rows. */
export const createLastRows = ({ store, announce = () => undefined }: Pick<RowParts, 'store'> & Partial<RowParts>) => {
  // Several parts of a hub end the commands of a deleted server at the same time.
  const inTurn = createTurns();

  /** Voids unsent commands created before this time (epoch milliseconds), step by step, and returns their ids. */
  const withdraw = ({ projectId, serverId }: Address, createdBefore = Number.MAX_SAFE_INTEGER): Promise<string[]> =>
    inTurn(addressOf(projectId, serverId), async () => {
      const which = () => ({ projectId, serverId, createdBefore, error: NOT_SENT, at: Date.now() });
      const ids: string[] = [];
      // The bridge may have done more of these than their rows say: they are given up like those that were sent.
      await untilNone(
        () => store.commands.askAll(which()),
        (rows) => ids.push(...rows.map(({ id }) => id)),
      );
      await untilNone(
        () => store.commands.withdrawAll(which()),
        (rows) => {
          for (const row of rows) announce(row);
          ids.push(...rows.map(({ id }) => id));
        },
      );
      return ids;
    });

  /** Gives up the sent commands, step by step. */
  const giveUpAll = ({ projectId, serverId }: Address, journalId: string | null): Promise<void> =>
    inTurn(addressOf(projectId, serverId), async () => {
      const ending = { message: NOT_ANSWERED, journalOf: reporterOf(journalId) };
      for (;;) {
        const open = await store.commands.openFor(projectId, serverId, STEP / 2);
        if (open.length === 0) return;
        await giveUp({ store, announce }, open, ending);
      }
    });

  return {
    withdraw,
    giveUp: giveUpAll,
    /** Voids what was not sent and gives up what was sent. */
    endAll: async ({ projectId, id, journalId }: ServerRow): Promise<void> => {
      const address = { projectId, serverId: id };
      await withdraw(address);
      await giveUpAll(address, journalId);
    },
  };
};

const alreadyEnded = ({ id, status }: CommandRow, detail: string): HubError =>
  new HubError('invalid_state', detail, { command: { id, status }, executed: executedOf(status) });

/** Ends commands for callers and operators: takes them back, resolves them, or gives them up with their server. */
export const endings = (
  { store, router, elsewhere, live, run }: Core,
  /** Waits for the outcome of a command that exists. */
  join: (row: CommandRow, waitMs: number) => Promise<CommandRow | undefined>,
) => {
  const { announce, queues } = run;
  const lastRows = createLastRows({ store, announce });

  const takeBackAll = async ({ projectId, serverId }: Address, createdBefore?: number): Promise<void> => {
    const address = { projectId, serverId };
    // A command that is only in the queue is inserted first, so that its caller gets a durable answer.
    await Promise.all(queues.queuedFor(address).map((command) => run.ensureStored(command)));
    for (const id of await lastRows.withdraw(address, createdBefore)) live.release(id);
  };

  const unwritten = (address: Address): number =>
    queues.queuedFor(address).filter(({ isUnwritten }) => isUnwritten).length;

  /** Asks the bridge, wherever it is, not to start it. */
  const sendVoid = async (row: CommandRow): Promise<void> => {
    const session = router.find(row.projectId, row.serverId);
    if (session !== undefined) session.send({ type: 'void', id: wireIdOf(row) });
    else await elsewhere?.void(row);
  };

  return {
    /** Voids a command that has not started. Settled already: 409 `invalid_state`, unless it was voided before. */
    takeBack: async (row: CommandRow, waitMs: number): Promise<CommandRow> => {
      if (row.status === 'accepted' || row.status === 'waiting') {
        const voided = await run.takeBack(row);
        if (voided !== undefined) return voided;
      }
      const sent = await store.commands.requestVoid(row.projectId, row.id);
      if (sent !== undefined) await sendVoid(sent);
      else {
        // It waits again since it was read.
        const voided = await run.takeBack(row);
        if (voided !== undefined) return voided;
      }
      const settled = (await join(row, waitMs)) ?? row;
      if (!isSettled(settled.status) || settled.status === 'voided') return settled;
      throw alreadyEnded(settled, `The command has already ended: ${settled.status}.`);
    },
    /** Records an operator's decision about an indeterminate command. Any other command: 409 `invalid_state`. */
    resolve: async (
      row: CommandRow,
      verdict: { applied: boolean; note: string; actor: { keyId: string; name: string } },
    ): Promise<CommandRow> => {
      const { projectId, id, status } = row;
      const resolved = await store.commands.resolve({ projectId, id, ...verdict, at: Date.now() });
      if (resolved === undefined) {
        throw alreadyEnded(row, `Only an indeterminate command can be resolved; this one is ${status}.`);
      }
      announce(resolved);
      return resolved;
    },
    /** Takes back commands for an earlier server with the same id. This server has had no bridge yet. */
    takeBackOlder: async ({ projectId, id, createdAt }: ServerRow): Promise<void> => {
      const address = { projectId, serverId: id };
      const isIdle = unwritten(address) === 0 && (await store.commands.openCounts(projectId, id)).waiting === 0;
      if (!isIdle) await takeBackAll(address, createdAt);
    },
    /** Takes back the commands that wait for a deleted server. */
    takeBackAll,
    /** The socket of a deleted server has closed: takes back waiting commands, and gives up sent ones. */
    renounce: async ({ projectId, serverId }: Address): Promise<void> => {
      const server = await store.servers.get(projectId, serverId);
      await takeBackAll({ projectId, serverId });
      if (server?.deletingAt != null) await lastRows.giveUp({ projectId, serverId }, server.journalId);
    },
    /** Ends the rows of a server that is deleted. */
    endAll: lastRows.endAll,
    /** The number of commands that wait here and are not rows yet. */
    unwritten,
  };
};

/** A player who is gone may come back: a table was lost for a while, or a snapshot read from the wrong database. */
const GONE_FOR_MS = 24 * 60 * 60 * 1000;
const NOT_THERE = { code: 'player_not_found', message: 'This player was deleted.' };

const endSome = async ({ store, run }: Core, address: Address, targets: readonly string[]): Promise<void> => {
  const which = () => ({ ...address, targets, error: NOT_THERE, at: Date.now() });
  // Before the waiting ones, so that none waits again after them.
  await store.commands.noMoreRounds({ ...address, targets, at: Date.now() });
  await untilNone(
    () => store.commands.rejectWaiting({ ...which(), limit: STEP }),
    (rows) => {
      for (const row of rows) run.announce(row);
    },
  );
  // The bridge may have done more of a restored one than its row says.
  await untilNone(() => store.commands.askTargets(which()), run.asked);
  // After the waiting ones: one that has left meanwhile is among these.
  await store.commands.noMoreRounds({ ...address, targets, at: Date.now() });
};

/**
 * Ends what waits for players that their game server has deleted. A round on its way ends first, as its bridge says, and is
 * the last one. What may have taken effect stays as it is.
 */
export const endDeleted = async (core: Core, address: Address, targets: readonly string[]): Promise<void> => {
  for (let from = 0; from < targets.length; from += STEP)
    await endSome(core, address, targets.slice(from, from + STEP));
};

/** Does so for players of any server, or of one, who have been gone for a day. */
export const endOfGone = async (core: Core, address?: Address): Promise<void> => {
  const gone = await core.store.commands.goneTargets(Date.now() - GONE_FOR_MS, address);
  for (const { target, ...server } of gone) await endDeleted(core, server, [target]);
};
