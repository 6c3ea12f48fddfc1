import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BridgeMessage, MessageOf, Player } from '../../bridge-protocol/index.ts';
import type { Store } from '../../db/store.ts';
import type { Events } from '../events.ts';
import type { Metrics } from '../metrics.ts';
import type { Session } from '../router.ts';

/** Rows written in one turn of the loop: about 2 ms of 2 KB records, so commands pass in between. */
const SLICE = 20;
const PAGE = 500;

type Snapshot = MessageOf<BridgeMessage, 'players.snapshot'>;
type Changed = MessageOf<BridgeMessage, 'players.changed'>;

const slices = function* <T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
};

type Deps = { store: Pick<Store, 'players'>; events: Events; metrics: Metrics; now: () => number };

/** Marks players offline in slices; `belongs` chooses among those who are online. */
export const createPresence = ({ store, now }: Pick<Deps, 'store' | 'now'>) => ({
  /** Everybody of this server who is online and not in `present`. */
  absentOffline: async (projectId: string, serverId: string, present: ReadonlySet<string>): Promise<void> => {
    let after: Awaited<ReturnType<Store['players']['online']>>[number] | undefined;
    for (;;) {
      const page = await store.players.online(projectId, serverId, { limit: PAGE, after });
      const absent = page.map(({ identifier }) => identifier).filter((identifier) => !present.has(identifier));
      for (const slice of slices(absent, SLICE)) await store.players.setOffline(projectId, serverId, slice, now());
      after = page.at(-1);
      if (after === undefined || page.length < PAGE) return;
      await nextTurn();
    }
  },
  allOffline: async (projectId: string, serverId: string): Promise<void> => {
    while ((await store.players.allOffline(projectId, serverId, { limit: PAGE / 5, at: now() })) > 0) await nextTurn();
  },
});

/**
 * One session's view of its players: a snapshot in parts, then changes whose revisions must follow one another.
 * `apply` answers `gap` when something is missing: the bridge must then send a snapshot.
 */
export const createSync = (session: Session, deps: Deps) => {
  const { store, events, metrics, now } = deps;
  const { projectId, serverId } = session;
  const presence = createPresence(deps);
  let revision: number | undefined;
  let incoming: { revision: number; nextPart: number; seen: Set<string> } | undefined;

  const write = async (players: readonly Player[]): Promise<void> => {
    for (const slice of slices(players, SLICE)) {
      await store.players.calm();
      await store.players.upsert(projectId, serverId, slice, now());
      metrics.playersSynced.inc(slice.length);
      await nextTurn();
    }
  };

  const snapshot = async (message: Snapshot): Promise<'ok' | 'gap'> => {
    if (message.part === 0) incoming = { revision: message.revision, nextPart: 0, seen: new Set() };
    if (incoming?.revision !== message.revision || incoming.nextPart !== message.part) {
      incoming = undefined;
      return 'gap';
    }
    incoming.nextPart += 1;
    for (const player of message.players) incoming.seen.add(player.identifier);
    await write(message.players);
    if (!message.last) return 'ok';
    await presence.absentOffline(projectId, serverId, incoming.seen);
    events.publish(projectId, { type: 'players.synced', serverId, data: { players: incoming.seen.size } });
    revision = message.revision;
    incoming = undefined;
    return 'ok';
  };

  const announce = (before: Awaited<ReturnType<Store['players']['states']>>, message: Changed): void => {
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

  const changed = async (message: Changed): Promise<'ok' | 'gap'> => {
    if (revision === undefined || message.revision <= revision) return 'ok';
    if (message.revision !== revision + 1) {
      revision = undefined;
      return 'gap';
    }
    const touched = [...message.players.map((player) => player.identifier), ...message.offline];
    const before = await store.players.states(projectId, serverId, touched);
    await write(message.players);
    for (const slice of slices(message.offline, SLICE))
      await store.players.setOffline(projectId, serverId, slice, now());
    for (const slice of slices(message.removed, SLICE)) await store.players.remove(projectId, serverId, slice);
    revision = message.revision;
    announce(before, message);
    return 'ok';
  };

  return {
    apply: (message: Snapshot | Changed): Promise<'ok' | 'gap'> =>
      message.type === 'players.snapshot' ? snapshot(message) : changed(message),
  };
};
export type Sync = ReturnType<typeof createSync>;
