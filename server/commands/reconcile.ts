import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import type { Session } from '../cluster/router.ts';
import { type Dispatch, isExactlyOnce } from './dispatch.ts';
import { entryOf, type Lanes } from './lanes.ts';
import type { LateAnswers } from './late-answers.ts';

/** A command that was in flight this many times when the bridge crashed is not delivered again. */
const CRASHES_TO_QUARANTINE = 3;
/** A disconnect this soon after a delivery counts against the command. */
const CRASH_WITHIN_MS = 2_000;
const MAX_SUSPECTS = 10_000;

export type JournalReport = { id: string; sequence: number };
type Known = Pick<ServerRow, 'journalId' | 'journalSequence' | 'journalInstance'>;

/**
 * Why the effects of open commands can no longer be known, or undefined if the journal is the one we know (it is
 * recorded before anything is sent). A process names the sequence that its journal had when it was opened, so under one process it cannot go back.
 */
export const journalProblem = (known: Known, reported: JournalReport & { instance: string }): string | undefined => {
  // Whatever is open was sent to a server of this name that is deleted.
  if (known.journalId === null) return 'The game server was deleted and made anew.';
  if (known.journalId !== reported.id) return 'The bridge came back with another journal.';
  if (known.journalInstance === reported.instance) return undefined;
  if (known.journalSequence !== null && reported.sequence < known.journalSequence) {
    return 'The journal of the bridge went back in time: a backup was restored.';
  }
  return undefined;
};

/** After every welcome: brings what earlier sockets left open to its true end, before anything new is sent. */
export const createReconcile = ({
  store,
  lanes,
  dispatch,
  announce,
  late,
  now,
}: {
  store: Pick<Store, 'commands'>;
  lanes: Lanes;
  dispatch: Dispatch;
  announce: (row: CommandRow) => void;
  late: Pick<LateAnswers, 'hold'>;
  now: () => number;
}) => {
  const crashes = new Map<string, number>();

  const mustVoid = (row: CommandRow): boolean =>
    row.voidRequested ||
    !isExactlyOnce(row.name) ||
    row.expiresAt <= now() ||
    (crashes.get(row.id) ?? 0) >= CRASHES_TO_QUARANTINE;

  const giveUp = async (
    rows: readonly CommandRow[],
    message: string,
    journalId: string | null,
  ): Promise<CommandRow[]> => {
    const first = rows[0];
    if (first === undefined) return [];
    return store.commands.indeterminate({
      projectId: first.projectId,
      ids: rows.map((row) => row.id),
      error: { code: 'indeterminate', message },
      journalId,
      at: now(),
    });
  };

  /** Takes a command over that an earlier session carried. */
  const resume = async (session: Session, row: CommandRow): Promise<void> => {
    const { id: sessionId, epoch } = session;
    const taken = await store.commands.redeliver({ id: row.id, from: row.epoch ?? 0, epoch, sessionId });
    if (taken === undefined || !session.isOpen()) return;
    const entry = entryOf(taken);
    const queue = lanes.laneOf(row.projectId, row.serverId);
    lanes.remember(entry, queue);
    queue.resume(entry);
    if (mustVoid(taken)) session.send({ type: 'void', id: taken.id });
    else dispatch.deliver(session, taken, entry);
  };

  return {
    resume,
    /** `sameInstance`: the bridge's process is the one that had the earlier sockets. */
    reconcile: async (
      session: Session,
      { problem, known, sameInstance }: { problem: string | undefined; known: Known; sameInstance: boolean },
    ): Promise<void> => {
      const open = await store.commands.openFor(session.projectId, session.serverId);
      const lost = open.filter((row) => (isExactlyOnce(row.name) ? problem !== undefined : !sameInstance));
      const givenUp = await giveUp(
        lost.filter((row) => isExactlyOnce(row.name)),
        problem ?? '',
        // A journal that went back in time has forgotten what it did.
        known.journalId === session.journalId ? null : known.journalId,
      );
      for (const row of givenUp) announce(row);
      const kicks = await giveUp(
        lost.filter((row) => !isExactlyOnce(row.name)),
        'The game server restarted before it answered.',
        session.journalId,
      );
      late.hold(session, kicks);
      const gone = new Set(lost);
      for (const row of open) if (!gone.has(row)) await resume(session, row);
    },
    /** The socket went: what of this was just delivered may be what brought the bridge down. */
    suspectsAmong: (lost: readonly { id: string; sentAt: number | undefined }[]): string[] => {
      const since = performance.now() - CRASH_WITHIN_MS;
      return lost.filter(({ sentAt = Number.NEGATIVE_INFINITY }) => sentAt >= since).map(({ id }) => id);
    },
    suspect: (ids: readonly string[]): void => {
      for (const id of ids) {
        if (crashes.size >= MAX_SUSPECTS) crashes.clear();
        crashes.set(id, (crashes.get(id) ?? 0) + 1);
      }
    },
    clear: (id: string): void => {
      crashes.delete(id);
    },
  };
};
