import { readAsking } from '../../db/queries/commands/ends.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import type { Session } from '../cluster/router.ts';
import { isExactlyOnce } from './catalogue.ts';
import { giveUp } from './end.ts';
import { formerIdsOf, wireIdOf } from './outcome.ts';
import type { Core } from './run.ts';
import { versionProblem } from './versions.ts';

/**
 * A command that was sent again this often without an outcome is voided, because it may be what ends the game server each
 * time. A rolling restart of a cluster sends a command again once for each node.
 */
const MAX_SENT_AGAIN = 8;

export type JournalReport = { id: string; sequence: number };
type Known = Pick<ServerRow, 'journalId' | 'journalSequence' | 'journalInstance'>;

const OTHER_JOURNAL = 'The bridge came back with another journal.';

/**
 * Why the effects of open commands can no longer be known. Undefined: the journal is the known one, which is recorded
 * before anything is sent. A bridge reports the sequence that its journal had when the process opened it, so the
 * sequence cannot go back within one process.
 */
export const journalProblem = (known: Known, reported: JournalReport & { instance: string }): string | undefined => {
  // All open commands were sent to a deleted server of the same id.
  if (known.journalId === null) return 'The game server was deleted and created again.';
  if (known.journalId !== reported.id) return OTHER_JOURNAL;
  if (known.journalInstance === reported.instance) return undefined;
  if (known.journalSequence !== null && reported.sequence < known.journalSequence) {
    return 'The journal of the bridge went back in time: a backup was restored.';
  }
  return undefined;
};

const mustVoid = (row: CommandRow, now: number): boolean =>
  row.voidRequested || readAsking(row) !== undefined || !isExactlyOnce(row.name) || row.expiresAt <= now;

/** `attempts` counts this attempt, and the first one of each round. */
const wasSentTooOften = (row: CommandRow): boolean =>
  readAsking(row) === undefined && row.attempts - 1 - Math.max(1, row.round ?? 1) >= MAX_SENT_AGAIN;

/**
 * Takes over a command of an earlier session, unless it was sent to another journal: a node that has not heard of this
 * session yet may have sent it to another game server with the same token.
 */
const resume = async ({ store, live, run }: Core, session: Session, row: CommandRow): Promise<void> => {
  const { id: sessionId, epoch, journalId } = session;
  if (row.journalId !== null && row.journalId !== journalId) {
    const parts = { store, announce: run.announce };
    if (session.isOpen()) await giveUp(parts, [row], { message: OTHER_JOURNAL, journalOf: () => row.journalId });
    return;
  }
  const taken = await store.commands.redeliver({ id: row.id, from: row.epoch ?? 0, epoch, sessionId, journalId });
  if (taken === undefined || !session.isOpen()) return;
  const command = live.open(taken);
  run.queues.queueOf(taken).resume(command);
  const isTooOften = wasSentTooOften(taken);
  // Otherwise, a command that may wait would begin another round when the bridge confirms the `void`.
  if (isTooOften) await store.commands.requestVoid(taken.projectId, taken.id);
  // An older version of the bridge would read past a parameter.
  const isUnreadable = versionProblem(session, taken) !== undefined;
  const isToVoid = isTooOften || isUnreadable || mustVoid(taken, Date.now());
  if (isToVoid && formerIdsOf(taken).length === 0) session.send({ type: 'void', id: wireIdOf(taken) });
  else run.send(session, { ...taken, voidRequested: isToVoid }, command);
};

/** Takes over commands of earlier sessions whose bridges are connected to this node. */
export const resumeAll = async (core: Core, leftBehind: readonly CommandRow[]): Promise<void> => {
  for (const row of leftBehind) {
    const session = core.router.find(row.projectId, row.serverId);
    const isReady = session?.isOpen() === true && session.window > 0;
    if (isReady && !core.live.hasSlot(row.id)) await resume(core, session, row);
  }
};

/**
 * After a welcome, settles or sends again the commands that earlier sessions left open, before new ones are sent.
 * `sameInstance`: the bridge's process is the one of the earlier sessions.
 */
export const reconcile = async (
  core: Core,
  session: Session,
  { problem, known, sameInstance }: { problem: string | undefined; known: Known; sameInstance: boolean },
): Promise<void> => {
  const { store, run } = core;
  const open = await store.commands.openFor(session.projectId, session.serverId);
  const lost = open.filter((row) => (isExactlyOnce(row.name) ? problem !== undefined : !sameInstance));
  const parts = { store, announce: run.announce };
  // A journal that went back in time cannot report what it has lost.
  const reporterOf = (row: CommandRow): string | null => {
    const journalId = row.journalId ?? known.journalId;
    return journalId === session.journalId ? null : journalId;
  };
  await giveUp(
    parts,
    lost.filter(({ name }) => isExactlyOnce(name)),
    { message: problem ?? '', journalOf: reporterOf },
  );
  await giveUp(
    parts,
    lost.filter(({ name }) => !isExactlyOnce(name)),
    { message: 'The game server restarted before it answered.', journalOf: () => session.journalId },
  );
  const gone = new Set(lost);
  for (const row of open) if (!gone.has(row)) await resume(core, session, row);
};
