import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { BridgeMessage, MessageOf, Player } from '../../bridge-protocol/index.ts';
import type { Store } from '../../db/store.ts';
import type { Events } from '../cluster/events.ts';
import type { Session } from '../cluster/router.ts';
import type { Metrics } from '../platform/metrics.ts';

/** Rows written at once: about 4 ms for records of 2 KB, so that commands run in between. */
const SLICE = 32;
const PAGE = 500;
/** Over this many missing players, and over half of a server's, may be an accident: of a lost table, say. */
const MANY = 20;
/** The time for which many players must be missing before they count as gone. */
const DOUBT_MS = 60 * 60 * 1000;

type Snapshot = MessageOf<BridgeMessage, 'players.snapshot'>;
type Changed = MessageOf<BridgeMessage, 'players.changed'>;

export type PlayersMessage = Snapshot | Changed;

/** One session's view of its players. */
export type Sync = {
  revision: number | undefined;
  /** The number of known players of the server before a snapshot that is not finished. */
  known: number | undefined;
  incoming:
    | {
        revision: number;
        nextPart: number;
        reported: Map<string, boolean>;
        startedAt: number;
        /** The numbers in the game of those who are online. */
        gameIds: Map<string, number>;
        /** The linked identifiers so far, in the first snapshot of a server. */
        shown: Set<string> | undefined;
        /** No snapshot of the server was complete before. */
        isFirst: boolean;
      }
    | undefined;
};

/** Hears of the players that bridges report. */
export type PresenceWatch = {
  /** Some of them are stored. */
  stored(server: Pick<Session, 'projectId' | 'serverId'>): void;
  reported(
    session: Session,
    players: readonly Pick<Player, 'identifier' | 'identifiers' | 'online' | 'playable'>[],
  ): void;
  synced(session: Session): void;
  /** The game has deleted these players, or an operator has: what waits for them ends. */
  removed(server: Pick<Session, 'projectId' | 'serverId'>, identifiers: readonly string[]): Promise<void>;
};

type Deps = {
  store: Pick<Store, 'players' | 'sessions'>;
  events: Events;
  metrics: Metrics;
  watching: PresenceWatch;
  log: Logger;
};

/** A list in parts of at most `SLICE`. */
const slices = function* <T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += SLICE) yield items.slice(start, start + SLICE);
};

/** Corrects who is online, in slices. */
const createPresence = ({ store }: Pick<Deps, 'store'>) => ({
  /**
   * After a snapshot: exactly the players that it reported as online are online. A write of an earlier session, perhaps
   * at another node, may have come between.
   */
  match: async (
    projectId: string,
    serverId: string,
    { reported, gameIds }: Pick<NonNullable<Sync['incoming']>, 'reported' | 'gameIds'>,
  ): Promise<void> => {
    const missing = new Set([...reported].flatMap(([identifier, online]) => (online ? [identifier] : [])));
    let after: Awaited<ReturnType<Store['players']['online']>>[number] | undefined;
    do {
      const page = await store.players.online(projectId, serverId, { limit: PAGE, after });
      const absent = page.map(({ identifier }) => identifier).filter((identifier) => reported.get(identifier) !== true);
      for (const slice of slices(absent)) {
        await store.players.setOnline(projectId, serverId, slice, { online: false, at: Date.now() });
      }
      for (const { identifier } of page) missing.delete(identifier);
      after = page.length < PAGE ? undefined : page.at(-1);
      await nextTurn();
    } while (after !== undefined);
    for (const slice of slices([...missing])) {
      await store.players.setOnline(projectId, serverId, slice, { online: true, at: Date.now(), gameIds });
    }
  },
  /** `unlessConnected`: only while no bridge of the server is connected to any node. */
  allOffline: async (projectId: string, serverId: string, { unlessConnected = false } = {}): Promise<void> => {
    const some = () =>
      store.players.allOffline(projectId, serverId, { limit: PAGE / 5, at: Date.now(), unlessConnected });
    while ((await some()) > 0) await nextTurn();
  },
});

/**
 * Finds the players that a game server has no more: compares the reported players of a complete snapshot with the stored
 * ones, of which `known` were stored before.
 */
const createAbsence = ({ store, log }: Pick<Deps, 'store' | 'log'>) => {
  const markMissing = async (
    { projectId, serverId }: Session,
    reported: ReadonlyMap<string, boolean>,
  ): Promise<void> => {
    let after: Awaited<ReturnType<Store['players']['absent']>>[number] | undefined;
    do {
      const page = await store.players.absent(projectId, serverId, { limit: PAGE, after });
      const missing = page.map(({ identifier }) => identifier).filter((identifier) => !reported.has(identifier));
      for (const slice of slices(missing)) {
        await store.players.calm();
        await store.players.setGone(projectId, serverId, slice, Date.now());
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
    const since = missingSince ?? Date.now();
    if (since <= Date.now() - DOUBT_MS) return true;
    await store.sessions.noteMissing(projectId, serverId, { since, players: missing });
    const seen = { projectId, serverId, missing, since: new Date(since).toISOString() };
    log.warn(seen, 'many players are missing in a complete snapshot: they stay until one that comes an hour later');
    return false;
  };

  return async (session: Session, reported: ReadonlyMap<string, boolean>, known: number): Promise<void> => {
    const { projectId, serverId } = session;
    const missing = (await store.players.known(projectId, serverId)) - reported.size;
    if (!(await isBelieved(session, missing, known))) return;
    if (missing > 0) await markMissing(session, reported);
    await store.sessions.noteMissing(projectId, serverId, undefined);
  };
};

/**
 * Applies a session's reports of players: a snapshot in parts, then changes with consecutive revisions. `gap`: a
 * revision is missing, and the bridge must send a snapshot.
 */
export const createSync = (deps: Deps) => {
  const { store, events, metrics, watching } = deps;
  const presence = createPresence(deps);
  const markAbsent = createAbsence(deps);

  const write = async (
    session: Session,
    players: readonly Player[],
    options: Parameters<Store['players']['upsert']>[4] = {},
  ): Promise<void> => {
    const { projectId, serverId } = session;
    for (const slice of slices(players)) {
      await store.players.calm();
      await store.players.upsert(projectId, serverId, slice, Date.now(), options);
      watching.stored(session);
      metrics.playersSynced.inc(slice.length);
      await nextTurn();
    }
  };

  const snapshot = async (session: Session, sync: Sync, message: Snapshot): Promise<'ok' | 'gap'> => {
    const { projectId, serverId } = session;
    if (message.part === 0) {
      sync.known ??= await store.players.known(projectId, serverId);
      const shown = (await store.players.isNew(projectId, serverId)) ? new Set<string>() : undefined;
      const isFirst = ((await store.sessions.get(projectId, serverId))?.playersSyncedAt ?? null) === null;
      sync.incoming = {
        revision: message.revision,
        nextPart: 0,
        reported: new Map(),
        gameIds: new Map(),
        startedAt: Date.now(),
        shown,
        isFirst,
      };
    }
    const { incoming } = sync;
    if (incoming?.revision !== message.revision || incoming.nextPart !== message.part) {
      sync.incoming = undefined;
      return 'gap';
    }
    incoming.nextPart += 1;
    for (const { identifier, online, gameId } of message.players) {
      incoming.reported.set(identifier, online);
      if (online && gameId !== undefined) incoming.gameIds.set(identifier, gameId);
    }
    const { shown, isFirst } = incoming;
    await write(session, message.players, { isPart: !message.last, isSnapshot: true, shown, isFirst });
    watching.reported(session, message.players);
    if (!message.last) return 'ok';
    await presence.match(projectId, serverId, incoming);
    if (message.complete === true) await markAbsent(session, incoming.reported, sync.known ?? 0);
    await store.sessions.playersSynced(session, incoming.startedAt);
    watching.synced(session);
    events.publish(projectId, { type: 'players.synced', serverId, data: { players: incoming.reported.size } });
    sync.revision = message.revision;
    sync.known = undefined;
    sync.incoming = undefined;
    return 'ok';
  };

  const announce = (
    { projectId, serverId }: Session,
    before: Awaited<ReturnType<Store['players']['states']>>,
    message: Changed,
  ): void => {
    const known = new Map(before.map((state) => [state.identifier, state]));
    for (const player of message.players) {
      const state = known.get(player.identifier);
      const { identifier, name, online, accounts } = player;
      const publish = (type: 'player.joined' | 'player.left' | 'player.balance'): void =>
        events.publish(projectId, { type, serverId, data: { identifier, name, online, accounts } });
      if (online !== (state?.online ?? false)) publish(online ? 'player.joined' : 'player.left');
      if (state !== undefined && JSON.stringify(state.accounts) !== JSON.stringify(accounts)) publish('player.balance');
    }
    for (const identifier of message.offline) {
      if (known.get(identifier)?.online === true) {
        events.publish(projectId, { type: 'player.left', serverId, data: { identifier, online: false } });
      }
    }
    for (const identifier of message.removed) {
      events.publish(projectId, { type: 'player.removed', serverId, data: { identifier } });
    }
  };

  const changed = async (session: Session, sync: Sync, message: Changed): Promise<'ok' | 'gap'> => {
    const { projectId, serverId } = session;
    if (sync.revision === undefined || message.revision <= sync.revision) return 'ok';
    if (message.revision !== sync.revision + 1) {
      sync.revision = undefined;
      return 'gap';
    }
    const touched = [...message.players.map((player) => player.identifier), ...message.offline];
    const before = await store.players.states(projectId, serverId, touched);
    await write(session, message.players);
    for (const slice of slices(message.offline)) {
      await store.players.setOnline(projectId, serverId, slice, { online: false, at: Date.now() });
    }
    if (message.removed.length > 0) await watching.removed(session, message.removed);
    for (const slice of slices(message.removed)) await store.players.remove(projectId, serverId, slice);
    sync.revision = message.revision;
    watching.reported(session, message.players);
    announce(session, before, message);
    return 'ok';
  };

  return {
    apply: (session: Session, sync: Sync, message: PlayersMessage): Promise<'ok' | 'gap'> =>
      message.type === 'players.snapshot' ? snapshot(session, sync, message) : changed(session, sync, message),
    allOffline: presence.allOffline,
  };
};
