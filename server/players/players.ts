import type { Logger } from 'pino';
import type { BridgeMessage, MessageOf, Player } from '../../bridge-protocol/index.ts';
import { isScan } from '../../db/queries/players/scan.ts';
import type { Store } from '../../db/store.ts';
import { createTurns, createTurnsWithin } from '../../db/turns.ts';
import type { Events } from '../cluster/events.ts';
import { addressOf, type Router, type Session } from '../cluster/router.ts';
import { HubError, rateLimited } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createSync, type PlayersMessage, type PresenceWatch, type Sync } from './sync.ts';

/** `gone`: the game does not have the player. Undefined: the bridge did not tell. */
type ReadAnswer = Player | 'gone' | undefined;
type FindRequest = Parameters<Store['players']['find']>[0];

const BUSY = 'Another search through all players of the project is under way.';

type Whose = { projectId: string; serverId: string; identifier: string };

/** Players as bridges report them: sync, reads, and a fresh record on demand. */
export const createPlayers = ({
  store,
  router,
  readElsewhere,
  events,
  metrics,
  readTimeoutMs,
  scanWaitMs,
  presence: watching,
  log,
}: {
  store: Pick<Store, 'players' | 'sessions'>;
  router: Router;
  /** Lets the node that holds the bridge ask for the player; false: there is none, or the bridge did not tell. */
  readElsewhere: ((whose: Whose, withinMs: number) => Promise<boolean>) | undefined;
  events: Events;
  metrics: Metrics;
  readTimeoutMs: number;
  /** The longest wait of a search through all players of a project for another one. */
  scanWaitMs: number;
  /** Hears of the players that bridges report. */
  presence: PresenceWatch;
  log: Logger;
}) => {
  const { apply, allOffline } = createSync({ store, events, metrics, watching, log });
  const reads = new Map<string, { sessionId: string; deadline: number; resolve: (answer: ReadAnswer) => void }>();
  const inTurn = createTurns();
  // A search through all players of a large project takes the reader's thread for a second.
  const alone = createTurnsWithin(scanWaitMs, () => rateLimited(BUSY, 2));
  /** Work on one server's players runs in order, also across its sessions. */
  const inOrder = <T>(
    { projectId, serverId }: Pick<Session, 'projectId' | 'serverId'>,
    work: () => Promise<T>,
  ): Promise<T> => inTurn(addressOf(projectId, serverId), work);

  const ask = (session: Session, identifier: string): Promise<ReadAnswer> =>
    new Promise((resolve) => {
      const id = newId('read');
      reads.set(id, { sessionId: session.id, deadline: performance.now() + readTimeoutMs, resolve });
      session.send({ type: 'players.read', id, identifier });
    });

  const finishRead = (id: string, answer: ReadAnswer): void => {
    const read = reads.get(id);
    reads.delete(id);
    read?.resolve(answer);
  };

  const find = async (request: FindRequest) => {
    const found = await store.players.find(request);
    if (found === undefined) throw new HubError('player_not_found');
    return found;
  };

  /** Asks the bridge at this node and stores its answer; false: it could not be asked, or did not tell. */
  const refreshHere = async ({ projectId, serverId, identifier }: Whose): Promise<boolean> => {
    const session = router.find(projectId, serverId);
    if (session === undefined) return false;
    const answer = await ask(session, identifier);
    if (answer !== 'gone' && answer?.identifier !== identifier) return false;
    await inOrder(session, async () => {
      if (!session.isOpen()) return;
      if (answer === 'gone') return store.players.setGone(projectId, serverId, [identifier], Date.now());
      await store.players.upsert(projectId, serverId, [answer], Date.now());
      watching.stored(session);
    });
    return true;
  };

  const refresh = async (whose: Whose): Promise<boolean> => {
    if (router.find(whose.projectId, whose.serverId) !== undefined) return refreshHere(whose);
    return (await readElsewhere?.(whose, readTimeoutMs)) ?? false;
  };

  return {
    /** @throws HubError rate_limited, InvalidCursor */
    list: (request: Parameters<Store['players']['list']>[0]) =>
      isScan(request) ? alone(request.projectId, () => store.players.list(request)) : store.players.list(request),
    /** Always alone, because an answer is as large as 50 pages. @throws HubError rate_limited */
    keys: (request: Parameters<Store['players']['keys']>[0]) =>
      alone(request.projectId, () => store.players.keys(request)),
    /** @throws HubError player_not_found */
    find,
    /** Asks the bridge for the record first; if it does not answer in time, returns the stored one. */
    findFresh: async (request: FindRequest) => {
      const stored = await find(request);
      const { projectId, serverId, identifier } = stored.player;
      if (!(await refresh({ projectId, serverId, identifier }))) return stored;
      return find({ ...request, serverId });
    },
    refreshHere,
    openSync: (): Sync => ({ revision: undefined, known: undefined, incoming: undefined }),
    /** Applies a frame about players; `gap` means that the bridge must send a snapshot. */
    apply: (session: Session, sync: Sync, message: PlayersMessage): Promise<'ok' | 'gap'> =>
      inOrder(session, async () => (session.isOpen() ? apply(session, sync, message) : 'ok')),
    /** Takes the answer to a fresh read; late ones are dropped. */
    record: (session: Session, message: MessageOf<BridgeMessage, 'players.record'>): void => {
      if (reads.get(message.id)?.sessionId !== session.id) return;
      finishRead(message.id, message.error?.code === 'player_not_found' ? 'gone' : message.player);
    },
    /** Deletes the record of a player, and ends what waits for them. @throws HubError player_not_found */
    remove: async ({ projectId, serverId, identifier }: Whose): Promise<void> => {
      const known = await store.players.states(projectId, serverId, [identifier]);
      if (known.length === 0) throw new HubError('player_not_found');
      await watching.removed({ projectId, serverId }, [identifier]);
      await store.players.remove(projectId, serverId, [identifier]);
      events.publish(projectId, { type: 'player.removed', serverId, data: { identifier } });
    },
    /** Marks all players of a server offline after its bridge left, unless another one has connected. */
    disconnected: (session: Pick<Session, 'projectId' | 'serverId'>): Promise<void> =>
      inOrder(session, async () => {
        if (router.find(session.projectId, session.serverId) === undefined) {
          await allOffline(session.projectId, session.serverId, { unlessConnected: true });
        }
      }),
    /** Marks all players offline after another process of the game server took over. */
    replaced: (session: Session): Promise<void> =>
      inOrder(session, () => allOffline(session.projectId, session.serverId)),
    /** On start, marks all players offline until their bridges report them. */
    forgetOnline: async (): Promise<void> => {
      while ((await store.players.allServersOffline({ limit: 1000 })) > 0);
    },
    sweep: (): void => {
      const at = performance.now();
      for (const [id, read] of reads) if (read.deadline <= at) finishRead(id, undefined);
    },
  };
};
