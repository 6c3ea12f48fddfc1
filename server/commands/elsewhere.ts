import { isSettled } from '../../db/command-status.ts';
import type { CommandRow } from '../../db/commands.ts';
import type { Store } from '../../db/store.ts';
import type { Bus, BusMessageOf, Reply } from '../bus.ts';
import { type ErrorCode, HubError } from '../errors.ts';
import type { Place, Router } from '../router.ts';
import { isExactlyOnce } from './dispatch.ts';
import type { Waiters } from './waiters.ts';

/** A node that is there answers within a millisecond; what answers later may still do what it was asked. */
const ANSWER_WITHIN_MS = 2_000;
/** A node of which it was certain that it did not hear is not asked again for so long. */
const DEAF_FOR_MS = 500;
const MAX_DEAF = 10_000;

/** What the node that holds the bridge says to an accepted command. */
export type Taken = 'taken' | 'gone' | 'busy' | 'restarting';

const REFUSALS: Record<Exclude<Taken, 'taken'>, { code: ErrorCode; message: string }> = {
  gone: { code: 'bridge_offline', message: 'The bridge disconnected before the command was sent.' },
  busy: { code: 'bridge_busy', message: 'Too many commands wait for this server.' },
  restarting: { code: 'server_restarting', message: 'The game server is restarting.' },
};
const UNHEARD = {
  code: 'routing_unavailable',
  message: 'The node that holds this server did not hear of the command.',
};

/** Commands for bridges that another node holds: the row is written here, and sent from there. */
export const createElsewhere = ({
  store,
  router,
  bus,
  waiters,
  announce,
  takeHere,
  now,
}: {
  store: Pick<Store, 'commands'>;
  router: Router;
  bus: Pick<Bus, 'ask' | 'isUp'>;
  waiters: Waiters;
  announce: (row: CommandRow) => void;
  /** For a bridge that has come to this node meanwhile. */
  takeHere: (message: BusMessageOf<'run'>) => Taken;
  now: () => number;
}) => {
  const deaf = new Map<string, number>();

  const note = (node: string): void => {
    if (deaf.size >= MAX_DEAF) deaf.clear();
    deaf.set(node, performance.now() + DEAF_FOR_MS);
  };

  const messageOf = ({ epoch }: Place, row: CommandRow): BusMessageOf<'run'> => {
    const { id, projectId, serverId, name, target, expiresAt: deadline } = row;
    return { type: 'run', projectId, serverId, id, name, target, epoch, deadline, asker: router.node };
  };
  const ask = (place: Place, row: CommandRow): Promise<Reply> =>
    bus.ask(place.node, messageOf(place, row), ANSWER_WITHIN_MS);
  const refused = (taken: Taken | null) => (taken === null || taken === 'taken' ? undefined : REFUSALS[taken]);

  /** Why it will not be sent; undefined: it is in good hands, or may be. Who is gone may have come elsewhere. */
  const refusalOf = async (place: Place, row: CommandRow, isLast = false): Promise<typeof UNHEARD | undefined> => {
    const reply = await ask(place, row);
    // A kick that comes late hits another session: it is taken back, if it has not been sent. Money may come late.
    if (reply === 'silence') return isExactlyOnce(row.name) ? undefined : UNHEARD;
    if (reply === 'nobody') {
      note(place.node);
      router.doubt(row.projectId, row.serverId);
      return UNHEARD;
    }
    const answer = reply.answer as Taken | null;
    if (answer !== 'gone') return refused(answer);
    router.doubt(row.projectId, row.serverId);
    if (router.find(row.projectId, row.serverId) !== undefined) return refused(takeHere(messageOf(place, row)));
    if (isLast) return REFUSALS.gone;
    // It is stored: that nobody can say where the bridge is now does not make it undone.
    const next = await router.locate(row.projectId, row.serverId).catch(() => 'unknown' as const);
    if (next === 'unknown') return isExactlyOnce(row.name) ? undefined : UNHEARD;
    return next === undefined || next.id === place.id ? REFUSALS.gone : refusalOf(next, row, true);
  };

  return {
    /** Before anything is stored. @throws HubError routing_unavailable */
    assertReachable: ({ node }: Place): void => {
      const isDeaf = (deaf.get(node) ?? 0) > performance.now();
      if (!bus.isUp() || isDeaf) throw new HubError('routing_unavailable', undefined, { retryAfterS: 2 });
    },
    /**
     * Brings an accepted command to the node that holds its bridge, and waits for the outcome. Where it is certain
     * that nobody takes it, it is taken back at once; where it is not, its row is watched.
     */
    handOver: async (place: Place, row: CommandRow, waitMs: number): Promise<CommandRow> => {
      const { projectId, id } = row;
      const outcome = waitMs > 0 ? waiters.wait(id, waitMs) : undefined;
      const error = await refusalOf(place, row);
      if (error !== undefined) {
        const withdrawn = await store.commands.withdraw({ projectId, id, error, at: now() }).catch(() => undefined);
        if (withdrawn !== undefined) {
          announce(withdrawn);
          return withdrawn;
        }
      }
      if (outcome === undefined) return row;
      return (await outcome) ?? (await store.commands.get(projectId, id).catch(() => undefined)) ?? row;
    },
  };
};

/** Wakes who waits here for commands that settled on another node: by their rows. */
export const createWatch = ({ store, waiters }: { store: Pick<Store, 'commands'>; waiters: Waiters }) => {
  const wakeSettled = (rows: readonly CommandRow[]): void => {
    for (const row of rows) if (isSettled(row.status)) waiters.wake(row);
  };

  return {
    /** Another node says that it settled. */
    hint: async (projectId: string, id: string): Promise<void> => {
      if (!waiters.has(id)) return;
      const row = await store.commands.get(projectId, id);
      if (row !== undefined) wakeSettled([row]);
    },
    /** Looks after all of them: hints get lost. */
    all: async (): Promise<void> => {
      const ids = waiters.ids();
      while (ids.length > 0) wakeSettled(await store.commands.among(ids.splice(0, 500)));
    },
  };
};
