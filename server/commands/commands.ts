import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import { createTurns } from '../../db/turns.ts';
import type { StoredEvent } from '../cluster/events.ts';
import type { Address, Session } from '../cluster/router.ts';
import type { Phase } from '../platform/background.ts';
import { Jobs } from '../platform/jobs.ts';
import { createAgain } from './again.ts';
import { type Batches, createAcceptBatch, createBatches } from './batches.ts';
import { Elsewhere, Reach } from './elsewhere.ts';
import { endDeleted, endings, endOfGone, endOverdue, sweepQueues, tidy } from './end.ts';
import { type LiveCommand, LiveCommands } from './live.ts';
import { readWireId } from './outcome.ts';
import type { Queues } from './queue.ts';
import { type JournalReport, journalProblem, reconcile, resumeAll } from './reconcile.ts';
import { type Core, createRun, type Parts } from './run.ts';
import { createSubmit } from './submit.ts';
import { createUndo } from './undo.ts';
import { createUndoBatch } from './undo-batches.ts';
import { Waiting } from './waiting.ts';

type Deps = Omit<Parts, 'live' | 'elsewhere'> & {
  phase: Readonly<Pick<Phase, 'isDraining'>>;
  /** Hears of each command that has ended. */
  count: (row: CommandRow) => void;
};

/** The life of commands on this node: submit → send → settle; and expiry, withdrawal and hand-over to other nodes. */
export const createCommands = (deps: Deps) => {
  const { store, router, bus, background } = deps;
  const live = new LiveCommands({ store });
  const here = {
    take: (...given: Parameters<Queues['take']>) => queues.take(...given),
    ensureStored: (command: LiveCommand) => run.ensureStored(command),
    queuedFor: (address: Address) => queues.queuedFor(address),
    resumeAll: (rows: readonly CommandRow[]) => resumeAll(core, rows),
    lookForWaiting: () => waiting.pickUp(),
  };
  const elsewhere =
    router.engine === 'local' ? undefined : new Elsewhere({ store, router, bus, background, live, here });
  const slotless = new Jobs('take over commands', background, async (node) => {
    const { accepted, leftBehind } = await store.commands.waitingFor(node);
    // Their insert was reported as failed. In a cluster, another node may be about to refuse them.
    if (elsewhere === undefined) for (const row of accepted) queues.take(row);
    await resumeAll(core, leftBehind);
  });
  const takeOver = (): Promise<void> => slotless.run(router.node);
  const pickUp = (): Promise<void> => elsewhere?.pickUp() ?? takeOver();
  const parts = { ...deps, live, elsewhere };
  const run = createRun({
    ...parts,
    pickUp,
    onEnded: (row) => {
      waiting.ended(row);
      batches.note(row);
    },
    onPostponed: (row) => {
      waiting.postponed(row);
      // If its batch has ended, it is taken back now.
      batches.note(row);
    },
  });
  const { queues } = run;
  const core: Core = { ...parts, run };
  const reach = new Reach(parts);
  const inTurn = createTurns(store.exclusively);
  const waiting: Waiting = new Waiting(core, { reach, inTurn });
  const batches: Batches = createBatches(core, waiting);
  const acceptBatch = createAcceptBatch(core, { batches, reach, inTurn });
  const submit = createSubmit(core, { reach, accept: (request) => waiting.accept(request), phase: deps.phase });
  const { targets } = submit;
  const ends = endings(core, submit.join);
  const undo = createUndo({ store, submit: submit.submit, join: submit.join, takeBack: ends.takeBack });

  return {
    submit: submit.submit,
    customOf: (address: Address) => reach.customOf(address),
    /** Nothing of this project is stored as waiting meanwhile, at no node. */
    inTurn,
    waitingFor: (row: CommandRow) => waiting.waitingFor(row),
    batches,
    acceptBatch: acceptBatch.accept,
    dryRunBatch: acceptBatch.dryRun,
    assertPossible: (...given: Parameters<Reach['assertPossible']>) => reach.assertPossible(...given),
    announce: run.announce,
    ...ends,
    ...undo,
    ...createAgain({ store, submit: submit.submit }),
    ...createUndoBatch(core, { reach, keep: acceptBatch.keep }),
    settle: run.settle,
    /** The bridge has parsed these commands and, where needed, journaled them. */
    received: ({ projectId, serverId }: Session, ids: readonly string[]): void => {
      for (const id of ids) {
        const command = live.find(readWireId(id).id);
        if (command?.projectId === projectId && command.serverId === serverId) command.received();
      }
    },
    unconfirmedSince: (session: Session): number | undefined => queues.peek(session)?.unconfirmedSince(),
    /** A bridge was welcomed: reconciles its open commands, then sends the queued ones, then new ones. */
    attach: async (
      session: Session,
      {
        window,
        journal,
        known,
        sameInstance,
      }: { window: number; journal: JournalReport; known: ServerRow; sameInstance: boolean },
    ): Promise<void> => {
      const { projectId, serverId, instance, epoch } = session;
      const problem = journalProblem(known, { ...journal, instance });
      await reconcile(core, session, { problem, known, sameInstance });
      // Not earlier: if the hub dies before, it must notice the other journal again.
      const isLast = await store.servers.recordJournal(projectId, serverId, {
        journalId: journal.id,
        sequence: journal.sequence,
        instance,
        epoch,
      });
      if (!isLast || !session.isOpen()) return;
      session.window = window;
      queues.open(session);
      waiting.attach(session);
      // Restored ones that became ones to ask about while the open ones were reconciled were not taken then.
      background.run('look', pickUp);
    },
    /** The bridge has announced its custom commands. */
    announced: (session: Session): void => waiting.announced(session),
    /** The session's socket is closed. */
    detach: (session: Session): void => {
      waiting.detach(session);
      queues.close(session);
      if (elsewhere !== undefined) background.run('hand on waiting commands', () => elsewhere.handOn(session));
    },
    /** On start, finds out whether the database was restored. */
    recallRestore: async (): Promise<void> => {
      const at = await store.commands.lastRestored();
      if (at !== undefined) live.restored(at);
    },
    /**
     * On start, puts accepted commands that were not sent back into their queues, or expires them. Goes on with batches whose
     * commands are not all stored.
     */
    restore: async (): Promise<void> => {
      for (const row of await store.commands.accepted()) {
        // An earlier attempt stopped halfway because the disk was full.
        if (live.hasSlot(row.id)) continue;
        if (row.expiresAt <= Date.now()) await run.expire(row.id);
        else queues.queueOf(row).append(live.open(row));
      }
      await batches.restore();
    },
    /** Asks another node's bridge for the record of a player. */
    readElsewhere: elsewhere?.read.bind(elsewhere),
    /** Handlers of messages from other nodes. */
    heard: elsewhere?.heard,
    /** Looks for waiting commands that can leave without a cause that was heard of. */
    lookForWaiting: (): Promise<void> => waiting.pickUp(),
    /** Reads rows in case a message was lost: commands for this node's bridges, and outcomes that this node waits for. */
    watch: async (): Promise<void> => {
      await pickUp();
      await elsewhere?.watch();
    },
    /** Handles an event of another node. */
    heardOf: async (projectId: string, { type, serverId, data: { id } }: StoredEvent): Promise<void> => {
      if (type === 'player.joined' || type === 'players.synced') targets.heard({ projectId, serverId });
      if (type !== 'command.settled' || typeof id !== 'string') return;
      if (live.find(id)?.state.is === 'queued') live.release(id);
      return elsewhere?.hint(projectId, id);
    },
    sweep: (): void => {
      submit.sweep();
      sweepQueues(core);
      waiting.sweep();
    },
    endOverdue: (): Promise<void> => endOverdue(core),
    tidy: async (): Promise<void> => {
      await tidy(core);
      // A bridge that comes back is asked about a limited number of restored commands at once.
      await takeOver();
      await endOfGone(core);
    },
    /** Resolves when no command is on its way any more, or after `graceMs`. */
    settled: async (graceMs: number): Promise<void> => {
      const deadline = Date.now() + graceMs;
      while (live.sizes().callers + queues.totals().inFlight > 0 && Date.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 20));
      live.sweepCallers({ all: true });
    },
    /** For tests and metrics: none of these numbers may grow without bound. */
    sizes: () => ({ ...queues.totals(), ...live.sizes(), lanes: waiting.size() }),
    /** Hears the reports of players by bridges of this node. */
    presence: {
      stored: targets.heard,
      reported: (...report: Parameters<Waiting['reported']>): void => waiting.reported(...report),
      synced: (session: Session): void => {
        waiting.synced(session);
        background.run('end what waits for deleted players', () => endOfGone(core, session));
      },
      removed: (address: Address, targets: readonly string[]): Promise<void> => endDeleted(core, address, targets),
    },
  };
};
export type Commands = ReturnType<typeof createCommands>;
