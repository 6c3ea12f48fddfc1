import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BridgeMessage, MessageOf, Player } from '../../bridge-protocol/index.ts';
import type { Store } from '../../db/store.ts';
import type { Events } from '../cluster/events.ts';
import type { Session } from '../cluster/router.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Absence } from './absence.ts';
import { slices } from './slices.ts';

/** Rows written at once: about 4 ms for records of 2 KB, so that commands run in between. */
const SLICE = 32;
const PAGE = 500;

type Snapshot = MessageOf<BridgeMessage, 'players.snapshot'>;
type Changed = MessageOf<BridgeMessage, 'players.changed'>;

export type PlayersMessage = Snapshot | Changed;

/** One session's view of its players. */
export type Sync = {
  revision: number | undefined;
  /** How many players of the server were known before a snapshot that is not finished. */
  known: number | undefined;
  incoming:
    | {
        revision: number;
        nextPart: number;
        reported: Map<string, boolean>;
        startedAt: number;
        /** The linked identifiers so far, in the first snapshot of a server. */
        shown: Set<string> | undefined;
      }
    | undefined;
};
export const openSync = (): Sync => ({ revision: undefined, known: undefined, incoming: undefined });

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
  absence: Absence;
  now: () => number;
};

/** Corrects who is online, in slices. */
export const createPresence = ({ store, now }: Pick<Deps, 'store' | 'now'>) => ({
  /**
   * After a snapshot: exactly the players that it reported as online are online. A write of an earlier session, perhaps
   * at another node, may have come between.
   */
  match: async (projectId: string, serverId: string, reported: ReadonlyMap<string, boolean>): Promise<void> => {
    const missing = new Set([...reported].flatMap(([identifier, online]) => (online ? [identifier] : [])));
    let after: Awaited<ReturnType<Store['players']['online']>>[number] | undefined;
    do {
      const page = await store.players.online(projectId, serverId, { limit: PAGE, after });
      const absent = page.map(({ identifier }) => identifier).filter((identifier) => reported.get(identifier) !== true);
      for (const slice of slices(absent, SLICE)) {
        await store.players.setOnline(projectId, serverId, slice, { online: false, at: now() });
      }
      for (const { identifier } of page) missing.delete(identifier);
      after = page.length < PAGE ? undefined : page.at(-1);
      await nextTurn();
    } while (after !== undefined);
    for (const slice of slices([...missing], SLICE)) {
      await store.players.setOnline(projectId, serverId, slice, { online: true, at: now() });
    }
  },
  allOffline: async (projectId: string, serverId: string): Promise<void> => {
    while ((await store.players.allOffline(projectId, serverId, { limit: PAGE / 5, at: now() })) > 0) await nextTurn();
  },
  /** The same, unless a bridge of the server is connected to any node. */
  abandoned: async (projectId: string, serverId: string): Promise<void> => {
    while ((await store.players.abandoned(projectId, serverId, { limit: PAGE / 5, at: now() })) > 0) await nextTurn();
  },
});

/**
 * Applies a session's reports of players: a snapshot in parts, then changes with consecutive revisions. `gap`: a
 * revision is missing, and the bridge must send a snapshot.
 */
export const createSync = (deps: Deps) => {
  const { store, events, metrics, watching, absence, now } = deps;
  const presence = createPresence(deps);

  const write = async (
    session: Session,
    players: readonly Player[],
    options: { isPart?: boolean; isSnapshot?: boolean; shown?: Set<string> | undefined } = {},
  ): Promise<void> => {
    const { projectId, serverId } = session;
    for (const slice of slices(players, SLICE)) {
      await store.players.calm();
      await store.players.upsert(projectId, serverId, slice, now(), options);
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
      sync.incoming = { revision: message.revision, nextPart: 0, reported: new Map(), startedAt: now(), shown };
    }
    const { incoming } = sync;
    if (incoming?.revision !== message.revision || incoming.nextPart !== message.part) {
      sync.incoming = undefined;
      return 'gap';
    }
    incoming.nextPart += 1;
    for (const { identifier, online } of message.players) incoming.reported.set(identifier, online);
    await write(session, message.players, { isPart: !message.last, isSnapshot: true, shown: incoming.shown });
    watching.reported(session, message.players);
    if (!message.last) return 'ok';
    await presence.match(projectId, serverId, incoming.reported);
    if (message.complete === true) await absence.compare(session, incoming.reported, sync.known ?? 0);
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
    for (const slice of slices(message.offline, SLICE)) {
      await store.players.setOnline(projectId, serverId, slice, { online: false, at: now() });
    }
    if (message.removed.length > 0) await watching.removed(session, message.removed);
    for (const slice of slices(message.removed, SLICE)) await store.players.remove(projectId, serverId, slice);
    sync.revision = message.revision;
    watching.reported(session, message.players);
    announce(session, before, message);
    return 'ok';
  };

  return (session: Session, sync: Sync, message: PlayersMessage): Promise<'ok' | 'gap'> =>
    message.type === 'players.snapshot' ? snapshot(session, sync, message) : changed(session, sync, message);
};
