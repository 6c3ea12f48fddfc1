import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Lane } from '../../db/queries/commands/waiting.ts';
import type { Store } from '../../db/store.ts';
import type { Bus } from '../cluster/bus.ts';
import type { Router, Session } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import { HubError } from '../platform/errors.ts';
import { assertCapable } from './capability.ts';
import type { Wish } from './catalogue.ts';
import type { CommandSource } from './command.ts';
import type { LaneState, Lanes, Line } from './lanes.ts';

/** How long a round may be sent after it has begun. */
const ROUND_MS = 30_000;
/** A round without an outcome is looked up after this: another node may have settled it. */
const LOOK_AFTER_MS = 45_000;
/** A player who was reported as online and then was not is tried again after this. */
const AGAIN_MS = 10_000;
const STATES = 500;

type Address = { readonly projectId: string; readonly serverId: string };

const asLane = ({ deliver, target }: CommandRow): Lane[] => (deliver === null ? [] : [{ deliver, target }]);
const lanesIn = ({ lanes }: Line): Lane[] => [...lanes.values()].map(({ lane }) => lane);

const wishOf = ({ name, params, target, roles }: CommandRow): Wish & { player?: string } =>
  // The row was made of a checked wish.
  ({ name, params, ...(roles !== null && { roles }), ...(target !== null && { player: target }) }) as Wish & {
    player?: string;
  };

/** A refusal of the hub in the words of the protocol, in which outcomes are stored. */
const storedRefusal = ({ code, message, extras }: HubError): NonNullable<CommandRow['error']> => {
  const [fault] = extras.errors ?? [];
  if (fault !== undefined) return { code: 'invalid_params', message, details: { ...fault } };
  return { code: code === 'journal_required' ? 'journal_unavailable' : 'unsupported', message };
};

/**
 * Sends commands that wait, when their server is connected and, with `when_online`, when their player plays. Each time
 * is a round with an id of its own at the bridge, because a bridge that has refused an id never carries it out. A new
 * round begins only after a final answer that the last one had no effect. Waiting commands take at most half of a
 * bridge's window.
 */
export const createDelivery = ({
  store,
  router,
  bus,
  lanes,
  background,
  announce,
  take,
  now,
}: {
  store: Pick<Store, 'commands' | 'players' | 'projects'>;
  router: Router;
  bus: Pick<Bus, 'tell'>;
  lanes: Lanes;
  background: Background;
  announce: (row: CommandRow) => void;
  /** Gives a command a place in the queue of its server. */
  take: (source: CommandSource) => unknown;
  now: () => number;
}) => {
  const sessionOf = ({ address: { projectId, serverId } }: Line): Session | undefined => {
    const session = router.find(projectId, serverId);
    return session?.isOpen() === true && session.window > 0 && session.state.draining !== true ? session : undefined;
  };

  const pump = (line: Line): void => {
    const session = sessionOf(line);
    if (session === undefined) return;
    const room = Math.max(1, Math.floor(session.window / 2));
    for (const state of line.ready) {
      if (line.flying.size >= room) return;
      line.ready.delete(state);
      line.flying.add(state);
      background.run('deliver', () => deliverNext(session, line, state));
    }
  };

  const tryLater = (line: Line, state: LaneState): void => {
    state.againAt = performance.now() + AGAIN_MS;
    line.later.add(state);
  };

  const wake = (line: Line, state: LaneState): void => {
    state.isAsked = true;
    line.later.delete(state);
    if (!line.flying.has(state)) line.ready.add(state);
  };

  const isPlaying = async (line: Line, target: string): Promise<boolean> => {
    if (!line.isSynced || line.absent.has(target)) return false;
    const { projectId, serverId } = line.address;
    const [player] = await store.players.states(projectId, serverId, [target]);
    return player?.online === true;
  };

  /** The command that left this lane before this node knew the lane goes first. */
  const isBehindAnother = async (line: Line, state: LaneState): Promise<boolean> => {
    if (!state.isNew) return false;
    const open = await store.commands.openInLane(line.address, state.lane);
    state.isNew = false;
    if (open === undefined) return false;
    lanes.fly(line, state, open);
    return true;
  };

  const refusalOf = async (session: Session, row: CommandRow): Promise<HubError | undefined> => {
    const project = await store.projects.byId(row.projectId);
    if (project === undefined) return new HubError('server_not_found');
    try {
      assertCapable(session, wishOf(row), project);
      return undefined;
    } catch (error) {
      if (error instanceof HubError) return error;
      throw error;
    }
  };

  /** Begins a round of the lane's first command. Returns whether the lane's next command may be tried at once. */
  const begin = async (session: Session, line: Line, state: LaneState): Promise<'flying' | 'next' | 'rest'> => {
    const { lane } = state;
    if (await isBehindAnother(line, state)) return 'flying';
    if (lane.deliver === 'when_online' && !(lane.target !== null && (await isPlaying(line, lane.target))))
      return 'rest';
    const row = await store.commands.firstWaiting(line.address, lane);
    if (row === undefined) {
      if (!state.isAsked) lanes.forget(line, state);
      return 'rest';
    }
    const refusal = await refusalOf(session, row);
    if (refusal?.extras.retryAfterS !== undefined) {
      tryLater(line, state);
      return 'rest';
    }
    const at = now();
    if (refusal !== undefined) {
      const error = storedRefusal(refusal);
      const refused = await store.commands.refuseWaiting({ id: row.id, error, at });
      if (refused !== undefined) announce(refused);
      return 'next';
    }
    const expiresAt = Math.min(row.deliverUntil ?? at, at + ROUND_MS);
    const released = await store.commands.release({ id: row.id, expiresAt, at });
    if (released === undefined) return row.expiresAt > at ? 'next' : 'rest';
    lanes.fly(line, state, released.id);
    take(released);
    return 'flying';
  };

  const deliverNext = async (session: Session, line: Line, state: LaneState): Promise<void> => {
    let end: Awaited<ReturnType<typeof begin>> = 'rest';
    state.isAsked = false;
    try {
      end = await begin(session, line, state);
    } catch (error) {
      tryLater(line, state);
      throw error;
    } finally {
      if (end !== 'flying') {
        line.flying.delete(state);
        if (end === 'next' || state.isAsked) wake(line, state);
      }
      pump(line);
    }
  };

  const targetsOf = (waiting: Iterable<Lane>): string[] =>
    [...waiting].flatMap(({ deliver, target }) => (deliver === 'when_online' && target !== null ? [target] : []));

  /** Those of these players who are online now may have waiting commands. */
  const wakeOnline = async (line: Line, targets: string[]): Promise<void> => {
    const { projectId, serverId } = line.address;
    while (targets.length > 0) {
      for (const { identifier, online } of await store.players.states(projectId, serverId, targets.splice(0, STATES))) {
        const state = online && !line.absent.has(identifier) ? lanes.ofPlayer(line, identifier) : undefined;
        if (state !== undefined) wake(line, state);
      }
      pump(line);
    }
  };

  /** The node that holds the bridge reads the waiting commands. */
  const tellNode = async ({ projectId, serverId }: Address): Promise<void> => {
    const place = await router.locate(projectId, serverId);
    if (place !== undefined) bus.tell(place.node, { type: 'waiting' });
  };

  const load = async (line: Line): Promise<void> => {
    for (const lane of await store.commands.lanesOf(line.address)) {
      const state = lanes.add(line, lane, true);
      if (lane.deliver !== 'when_online') wake(line, state);
    }
    pump(line);
    if (line.isSynced) await wakeOnline(line, targetsOf(lanesIn(line)));
  };

  const lookUp = async (line: Line, { flying }: LaneState): Promise<void> => {
    if (flying === undefined) return;
    flying.since = performance.now();
    const row = await store.commands.get(line.address.projectId, flying.id);
    if (row?.status !== 'accepted' && row?.status !== 'dispatched') {
      const landed = row && lanes.land(row);
      if (landed === undefined) return;
      wake(landed.line, landed.state);
      pump(landed.line);
    }
  };

  return {
    /** The first obstacle of a waiting command; undefined: it does not wait. */
    waitingFor: async ({
      status,
      deliver,
      projectId,
      serverId,
    }: CommandRow): Promise<'server' | 'player' | undefined> => {
      if (status !== 'waiting') return undefined;
      if (deliver !== 'when_online') return 'server';
      const place = router.find(projectId, serverId) ?? (await router.locate(projectId, serverId));
      return place === undefined ? 'server' : 'player';
    },
    /** A bridge of this node takes new commands now. */
    attach: async (session: Session): Promise<void> => {
      await load(lanes.open(session));
    },
    detach: (session: Session): void => lanes.close(session),
    /** A command was stored as waiting. True: it leaves at once. */
    added: async (row: CommandRow): Promise<boolean> => {
      if (row.deliver === null) return false;
      const line = lanes.find(row);
      if (line === undefined) {
        await tellNode(row);
        return false;
      }
      const { deliver, target } = row;
      const state = lanes.add(line, { deliver, target }, false);
      const isReady = deliver !== 'when_online' || (target !== null && (await isPlaying(line, target)));
      if (!isReady) return false;
      wake(line, state);
      pump(line);
      return sessionOf(line) !== undefined;
    },
    /** Commands of one server were stored as waiting. */
    addedAll: async (rows: readonly CommandRow[]): Promise<void> => {
      const [first] = rows;
      if (first === undefined) return;
      const line = lanes.find(first);
      if (line === undefined) return tellNode(first);
      for (const { deliver, target } of rows) {
        if (deliver === null) continue;
        const state = lanes.add(line, { deliver, target }, false);
        if (deliver !== 'when_online') wake(line, state);
      }
      pump(line);
      if (line.isSynced) await wakeOnline(line, targetsOf(rows.flatMap(asLane)));
    },
    /** A command has ended: the next one of its player may leave. */
    ended: (row: CommandRow): void => {
      const landed = lanes.land(row);
      if (landed === undefined) return;
      wake(landed.line, landed.state);
      pump(landed.line);
    },
    /** A round had no effect, and the command waits again. */
    postponed: (row: CommandRow): void => {
      const landed = lanes.land(row);
      if (landed === undefined) return;
      if (landed.state.isAsked) wake(landed.line, landed.state);
      else tryLater(landed.line, landed.state);
      pump(landed.line);
    },
    /** The bridge reported players: those who play now, and those who are online and cannot play yet. */
    reported: (
      session: Address,
      players: readonly { identifier: string; online: boolean; playable?: boolean }[],
    ): void => {
      const line = lanes.find(session);
      if (line === undefined) return;
      for (const { identifier, online, playable = online } of players) {
        if (online && !playable) line.absent.add(identifier);
        else line.absent.delete(identifier);
        const state = playable && line.isSynced ? lanes.ofPlayer(line, identifier) : undefined;
        if (state !== undefined) wake(line, state);
      }
      pump(line);
    },
    /** The bridge has reported all its players. */
    synced: (session: Address): void => {
      const line = lanes.find(session);
      if (line === undefined) return;
      line.isSynced = true;
      background.run('deliver to online players', () => wakeOnline(line, targetsOf(lanesIn(line))));
    },
    /** Reads the waiting commands that other nodes have stored for bridges of this one. */
    pickUp: async (): Promise<void> => {
      for (const address of await store.commands.serversThatWait(router.node)) {
        const line = lanes.find(address);
        if (line !== undefined) await load(line);
      }
    },
    sweep: (): void => {
      const at = performance.now();
      for (const line of lanes.all()) {
        for (const state of line.flying) {
          if (state.flying !== undefined && at - state.flying.since >= LOOK_AFTER_MS) {
            background.run('look up a delivery', () => lookUp(line, state));
          }
        }
        for (const state of line.later) if (state.againAt <= at) wake(line, state);
        pump(line);
      }
    },
  };
};
export type Delivery = ReturnType<typeof createDelivery>;
