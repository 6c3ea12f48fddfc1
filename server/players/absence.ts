import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Store } from '../../db/store.ts';
import type { Session } from '../cluster/router.ts';
import { slices } from './slices.ts';

const PAGE = 500;
const SLICE = 32;
/** Over this many missing players, and over half of a server's, may be an accident: of a lost table, say. */
const MANY = 20;
/** How long many players must be missing before they count as gone. */
const DOUBT_MS = 60 * 60 * 1000;

/** Finds the players that a game server has no more, after a snapshot of all it has. */
export const createAbsence = ({
  store,
  log,
  now,
}: {
  store: Pick<Store, 'players' | 'sessions'>;
  log: Logger;
  now: () => number;
}) => {
  const markMissing = async (
    { projectId, serverId }: Session,
    reported: ReadonlyMap<string, boolean>,
  ): Promise<void> => {
    let after: Awaited<ReturnType<Store['players']['absent']>>[number] | undefined;
    do {
      const page = await store.players.absent(projectId, serverId, { limit: PAGE, after });
      const missing = page.map(({ identifier }) => identifier).filter((identifier) => !reported.has(identifier));
      for (const slice of slices(missing, SLICE)) {
        await store.players.calm();
        await store.players.setGone(projectId, serverId, slice, now());
        await nextTurn();
      }
      after = page.length < PAGE ? undefined : page.at(-1);
    } while (after !== undefined);
  };

  /**
   * False: many are missing, and were not an hour ago. An earlier doubt lasts while half of its players are missing: the
   * others that the game reported since are known by now, and would make them few.
   */
  const isBelieved = async (session: Session, missing: number, known: number): Promise<boolean> => {
    if (missing <= MANY) return true;
    const { projectId, serverId } = session;
    const { missingSince = null, missingPlayers = null } = (await store.sessions.get(projectId, serverId)) ?? {};
    if (missing <= Math.min(known, missingPlayers ?? known) / 2) return true;
    const since = missingSince ?? now();
    if (since <= now() - DOUBT_MS) return true;
    await store.sessions.noteMissing(projectId, serverId, { since, players: missing });
    const seen = { projectId, serverId, missing, since: new Date(since).toISOString() };
    log.warn(seen, 'many players are missing in a complete snapshot: they stay until one that comes an hour later');
    return false;
  };

  return {
    /** Compares the reported players of a complete snapshot with the stored ones, of which `known` were stored before. */
    compare: async (session: Session, reported: ReadonlyMap<string, boolean>, known: number): Promise<void> => {
      const { projectId, serverId } = session;
      const missing = (await store.players.known(projectId, serverId)) - reported.size;
      if (!(await isBelieved(session, missing, known))) return;
      if (missing > 0) await markMissing(session, reported);
      await store.sessions.noteMissing(projectId, serverId, undefined);
    },
  };
};
export type Absence = ReturnType<typeof createAbsence>;
