import type { Logger } from 'pino';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import type { Bus, BusMessageOf } from '../cluster/bus.ts';
import type { Events, StoredEvent } from '../cluster/events.ts';
import type { Router, Session } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import { HubError } from '../platform/errors.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createAdopt } from './adopt.ts';
import { createDispatch } from './dispatch.ts';
import { createElsewhere, createWatch } from './elsewhere.ts';
import { createHandOn, createLeaveBehind } from './hand-on.ts';
import { createLanes, entryOf } from './lanes.ts';
import { createLateAnswers } from './late-answers.ts';
import { executedOf } from './outcome.ts';
import { createReach } from './reach.ts';
import { createReconcile, type JournalReport, journalProblem } from './reconcile.ts';
import { createRenounce } from './renounce.ts';
import { createAnnounce, createSettle } from './settle.ts';
import { createSubmit } from './submit.ts';
import { createSweepLanes } from './sweep.ts';
import { createTidy } from './tidy.ts';
import { createWaiters } from './waiters.ts';

type Deps = {
  store: Pick<Store, 'commands' | 'servers' | 'strayResults' | 'players'>;
  router: Router;
  bus: Pick<Bus, 'ask' | 'tell' | 'spread' | 'isUp'>;
  events: Events;
  metrics: Metrics;
  background: Background;
  log: Logger;
  isDraining: () => boolean;
  isReadOnly: () => boolean;
  now?: () => number;
};

/** The life of commands on this node: submit → dispatch → settle, and what brings open ones to their end. */
export const createCommands = (deps: Deps) => {
  const { store, router, bus, metrics, background, log, now = Date.now } = deps;
  const waiters = createWaiters();
  const announce = createAnnounce({ waiters, events: deps.events, metrics, log });
  const handOn = createHandOn({ router, bus });
  const dispatch = createDispatch({ store, router, background, announce, handOn, now });
  const lanes = createLanes({
    start: (entry) => dispatch.start(entry, lanes),
    windowOf: (projectId, serverId) => router.find(projectId, serverId)?.window ?? 0,
  });
  const settle = createSettle({ store, lanes, bus, announce, metrics, log, now });
  const late = createLateAnswers({ announce });
  const reconcile = createReconcile({ store, lanes, dispatch, announce, late, now });
  const adopt = createAdopt({ store, router, lanes, dispatch, resume: reconcile.resume });
  const elsewhere = createElsewhere({ store, router, bus, waiters, takeHere: adopt.run });
  const reach = createReach({ router, bus });
  const submit = createSubmit({ ...deps, lanes, waiters, dispatch, elsewhere, reach, now });
  const watch = createWatch({ store, waiters });

  /** Asks the bridge, wherever it is, not to start it. */
  const sendVoid = async ({ projectId, serverId, id }: CommandRow): Promise<void> => {
    const session = router.find(projectId, serverId);
    if (session !== undefined) return session.send({ type: 'void', id });
    const place = await router.locate(projectId, serverId);
    if (place !== undefined) bus.tell(place.node, { type: 'void', projectId, serverId, id });
  };

  const renounce = createRenounce({ store, lanes, dispatch, announce, now });
  const leaveBehind = createLeaveBehind({ lanes, dispatch, handOn });
  const sweepLanes = createSweepLanes({ router, lanes, dispatch, background, metrics, now });

  return {
    submit: submit.submit,
    customOf: reach.customOf,
    announce,
    ...renounce,
    settle: (session: Session, message: Parameters<typeof settle.settle>[1]): Promise<void> => {
      reconcile.clear(message.id);
      return late.during(message.id, () => settle.settle(session, message));
    },
    /** The bridge has parsed (and where needed journaled) these. */
    received: (session: Session, ids: readonly string[]): void => {
      const queue = lanes.peek(session.projectId, session.serverId);
      for (const id of ids) queue?.received(id);
    },
    unconfirmedSince: (session: Session): number | undefined =>
      lanes.peek(session.projectId, session.serverId)?.unconfirmedSince(),
    /** A bridge was welcomed: open commands first, then what waits, then new ones. */
    attach: async (
      session: Session,
      {
        window,
        journal,
        known,
        sameInstance,
      }: { window: number; journal: JournalReport; known: ServerRow; sameInstance: boolean },
    ): Promise<void> => {
      const { projectId, serverId, instance } = session;
      const problem = journalProblem(known, { ...journal, instance });
      await reconcile.reconcile(session, { problem, known, sameInstance });
      // Only now: a hub that dies before it has judged must find the difference again.
      await store.servers.recordJournal(projectId, serverId, {
        journalId: journal.id,
        sequence: journal.sequence,
        instance,
      });
      if (!session.isOpen()) return;
      session.window = window;
      lanes.open(projectId, serverId);
      if (router.engine === 'nats') background.run('look', adopt.pickUp);
    },
    /** The bridge has said how its server is: what it knows of earlier commands came before. */
    reported: late.end,
    /** The socket that was addressed is gone. */
    detach: (session: Session): void => {
      late.end(session);
      const suspects = reconcile.suspectsAmong(lanes.close(session.projectId, session.serverId));
      reconcile.suspect(suspects);
      if (router.engine === 'local') return;
      if (suspects.length > 0) bus.spread({ type: 'suspects', ids: suspects });
      background.run('leave behind', () => leaveBehind(session));
    },
    /** Takes back what has not started. Settled already: 409 `invalid_state`, unless it was taken back before. */
    takeBack: async (row: CommandRow, waitMs: number): Promise<CommandRow> => {
      if (row.status === 'accepted') {
        const voided = await store.commands.voidAccepted(row.projectId, row.id, now());
        if (voided !== undefined) {
          lanes.release(row.id);
          announce(voided);
          return voided;
        }
      }
      await store.commands.requestVoid(row.projectId, row.id);
      await sendVoid(row);
      const settled = (await submit.join(row.projectId, row.id, waitMs)) ?? row;
      if (!isSettled(settled.status) || settled.status === 'voided') return settled;
      throw new HubError('invalid_state', `The command has already ended: ${settled.status}.`, {
        command: { id: settled.id, status: settled.status },
        executed: executedOf(settled.status),
      });
    },
    /** An operator says what became of an indeterminate command. Any other one: 409 `invalid_state`. */
    resolve: async (
      row: CommandRow,
      verdict: { applied: boolean; note: string; actor: { keyId: string; name: string } },
    ): Promise<CommandRow> => {
      const resolved = await store.commands.resolve({
        projectId: row.projectId,
        id: row.id,
        ...verdict,
        at: now(),
      });
      if (resolved !== undefined) {
        announce(resolved);
        return resolved;
      }
      throw new HubError('invalid_state', `Only an indeterminate command can be resolved; this one is ${row.status}.`, {
        command: { id: row.id, status: row.status },
        executed: executedOf(row.status),
      });
    },
    /** After a start: what was accepted and never sent waits again, or expires. */
    restore: async (): Promise<void> => {
      for (const row of await store.commands.dueAccepted(Number.MAX_SAFE_INTEGER, 10_000)) {
        // From an attempt that a full disk ended halfway.
        if (lanes.find(row.id) !== undefined) continue;
        if (row.expiresAt <= now()) await dispatch.expire(row, lanes);
        else {
          lanes.requeue(entryOf(row));
        }
      }
    },
    /** Changes how many commands may be in flight to a bridge; 0 holds the new ones back. */
    setWindow: (session: Session, window: number): void => {
      session.window = window;
      lanes.open(session.projectId, session.serverId);
    },
    /** What other nodes say, or ask. */
    heard: {
      run: adopt.run,
      custom: reach.announcedHere,
      waiting: adopt.pickUp,
      settled: ({ row }: BusMessageOf<'settled'>): void => waiters.wake(row),
      suspects: ({ ids }: BusMessageOf<'suspects'>): void => reconcile.suspect(ids),
    },
    /** What rows say that no message said: commands for this node's bridges, and ends of what is waited for here. */
    watch: async (): Promise<void> => {
      await adopt.pickUp();
      await watch.all();
    },
    /** Another node published this. */
    heardOf: async (projectId: string, { type, data: { id } }: StoredEvent): Promise<void> => {
      if (type !== 'command.settled' || typeof id !== 'string') return;
      reconcile.clear(id);
      const entry = lanes.find(id);
      if (entry !== undefined && !lanes.isFlying(entry)) lanes.release(id);
      return watch.hint(projectId, id);
    },
    sweep: (): void => {
      waiters.sweep();
      submit.sweep();
      late.sweep();
      metrics.waiting.set(waiters.size());
      sweepLanes();
    },
    tidy: createTidy({ store, announce, expire: (row) => dispatch.expire(row, lanes), now }),
    /** Resolves when no command is on its way any more, or after `graceMs`. */
    settled: async (graceMs: number): Promise<void> => {
      const deadline = now() + graceMs;
      while (waiters.size() + lanes.totals().flying > 0 && now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 20));
      waiters.sweep({ all: true });
    },
    /** For tests and metrics: nothing of this may grow without bound. */
    sizes: () => ({ ...lanes.totals(), waiters: waiters.size() }),
  };
};
export type Commands = ReturnType<typeof createCommands>;
