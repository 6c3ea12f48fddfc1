import type { Logger } from 'pino';
import type { NodeRow } from '../../db/queries/nodes.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import type { SessionRow } from '../../db/queries/sessions.ts';
import type { Store } from '../../db/store.ts';
import { isoTime } from '../platform/iso-time.ts';

/** For health and log: the reason of missing commands, and the action to take. */
export const LOSS_ADVICE =
  'Commands that bridges have journaled are missing from the database: its write-ahead log was damaged or deleted, or a ' +
  'copy of a running hub was put back. List them with "causeway command missing", settle them with their callers, check ' +
  'the disk, then acknowledge them with "causeway command missing --acknowledge".';

/**
 * The time from which the hub has lost commands, if the bridge reports results of unknown commands in this session.
 * Undefined: such results have another cause. They prove a loss only if the bridge was connected when an earlier process
 * of this hub crashed, has not been back since, and has the same journal. Results that belong to another hub, to a
 * deleted server or to the time before a restored backup prove nothing.
 */
export const lostSinceOf = ({
  crashed,
  last,
  known,
  journalId,
}: {
  /** The process that held the bridge's last session, if it ended without a clean stop. */
  crashed: NodeRow | undefined;
  last: SessionRow | undefined;
  known: Pick<ServerRow, 'journalId'>;
  journalId: string;
}): number | undefined => {
  if (crashed === undefined || last === undefined || known.journalId !== journalId) return undefined;
  const { leaseEndsAt: lastSeenAt } = crashed;
  const hadLeft = last.disconnectedAt !== null && last.disconnectedAt <= lastSeenAt;
  return hadLeft ? undefined : lastSeenAt;
};

/** Logs at the start of a hub which commands are missing. */
export const reportLosses = async (store: Pick<Store, 'strayResults'>, log: Logger): Promise<void> => {
  for (const { projectId, commands, since } of await store.strayResults.losses()) {
    log.error({ projectId, missing: commands, since: isoTime(since) }, LOSS_ADVICE);
  }
};
