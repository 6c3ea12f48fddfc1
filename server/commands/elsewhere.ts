import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import { ANSWER_WITHIN_MS, type Bus, type BusMessageOf } from '../cluster/bus.ts';
import type { Bridge, CustomCommand, Router, Session } from '../cluster/router.ts';
import { type ErrorCode, HubError } from '../platform/errors.ts';
import { type CommandRequest, customOf, isExactlyOnce } from './catalogue.ts';
import type { CommandSource, LiveCommands, Queues } from './queue.ts';
import type { Send } from './run.ts';

/** After a message that no node received, the node counts as unreachable for this long. */
const UNREACHABLE_FOR_MS = 500;
const MAX_UNREACHABLE = 10_000;

/** Answer of the node that holds the bridge to an accepted command. */
export type HandOverAnswer = 'taken' | 'gone' | 'busy' | 'restarting';

/** A bridge needs about 0.3 s to move to another node. */
const UNREACHED = { code: 'routing_unavailable', retryAfterS: 1 } as const;
const REASONS = {
  busy: { code: 'bridge_busy', retryAfterS: 2 },
  restarting: { code: 'server_restarting', retryAfterS: 30 },
  gone: { code: 'bridge_offline', retryAfterS: 5 },
  no_responders: UNREACHED,
  timeout: UNREACHED,
} as const satisfies Record<string, { code: ErrorCode; retryAfterS: number }>;
type Reason = (typeof REASONS)[keyof typeof REASONS];

const refusing = ({ code, retryAfterS }: Reason): HubError => new HubError(code, undefined, { retryAfterS });

/**
 * Commands for bridges that another node holds. This node inserts the row and that node sends the command. If no node
 * takes a money or custom command, it stays accepted until it expires: the node to which the bridge comes back sends it.
 * A kick that no node takes is discarded, because it is for a player who is online now. A command that the node refuses
 * is discarded too.
 */
export const createHandOver = ({
  store,
  router,
  bus,
  live,
  takeHere,
}: {
  store: Pick<Store, 'commands'>;
  router: Router;
  bus: Pick<Bus, 'ask' | 'isUp'>;
  live: LiveCommands;
  /** Takes the command here, if the bridge has moved to this node. */
  takeHere: (message: BusMessageOf<'run'>) => Promise<HandOverAnswer>;
}) => {
  const unreachable = new Map<string, number>();

  const markUnreachable = (node: string): void => {
    if (unreachable.size >= MAX_UNREACHABLE) unreachable.clear();
    unreachable.set(node, performance.now() + UNREACHABLE_FOR_MS);
  };

  const messageOf = ({ epoch }: Bridge, row: CommandRow): BusMessageOf<'run'> => {
    const { id, projectId, serverId, name, target, expiresAt: deadline } = row;
    return { type: 'run', projectId, serverId, id, name, target, epoch, deadline, asker: router.node };
  };
  const ask = async (place: Bridge, row: CommandRow): Promise<HandOverAnswer | 'no_responders' | 'timeout' | null> => {
    const reply = await bus.ask(place.node, messageOf(place, row), ANSWER_WITHIN_MS);
    return typeof reply === 'object' ? (reply.answer as HandOverAnswer | null) : reply;
  };

  /** Asks the node and, if that one no longer holds the bridge, the node to which it has moved. */
  const offer = async (place: Bridge, row: CommandRow): Promise<Awaited<ReturnType<typeof ask>>> => {
    const answer = await ask(place, row);
    if (answer !== 'gone' && answer !== 'no_responders') return answer;
    if (answer === 'no_responders') markUnreachable(place.node);
    const { projectId, serverId } = row;
    router.doubt(projectId, serverId);
    if ((await router.arrived(projectId, serverId)) !== undefined) return takeHere(messageOf(place, row));
    const next = await router.locate(projectId, serverId).catch(() => 'unknown' as const);
    if (next === 'unknown') return 'timeout';
    if (next !== undefined && next.id !== place.id) return ask(next, row);
    // The session's row is out of date: the next request reads it again.
    router.doubt(projectId, serverId);
    return answer;
  };

  /** Why the command is not sent. Undefined: a node took it, may have taken it, or takes it when the bridge is back. */
  const reasonAgainst = async (place: Bridge, row: CommandRow): Promise<Reason | undefined> => {
    const answer = await offer(place, row);
    if (answer === null || answer === 'taken') return undefined;
    const canWait = answer !== 'busy' && answer !== 'restarting';
    return canWait && isExactlyOnce(row.name) ? undefined : REASONS[answer];
  };

  /** Deletes the row and refuses the request, so the idempotency key can be used again. @throws HubError */
  const discard = async ({ projectId, id }: CommandRow, reason: Reason): Promise<void> => {
    if (!(await store.commands.discard(projectId, id).catch(() => false))) return;
    live.drop(id);
    throw refusing(reason);
  };

  /** Whether the node can be asked: the bus works and, for a kick, the node answered a moment ago. */
  const isReachable = ({ node }: Bridge, { name }: Pick<CommandRequest, 'name'>): boolean =>
    bus.isUp() && (isExactlyOnce(name) || (unreachable.get(node) ?? 0) <= performance.now());

  return {
    isReachable,
    /** Checks, before anything is stored, that the node can be asked. @throws HubError routing_unavailable */
    assertReachable: (place: Bridge, wish: CommandRequest): void => {
      if (isReachable(place, wish)) return;
      router.doubt(wish.project.id, wish.serverId);
      throw refusing(UNREACHED);
    },
    /**
     * Gives an accepted command to the node that holds its bridge, and waits for the outcome. If a node may have taken
     * it, its row is watched. @throws HubError no node takes it, or the node with the bridge refuses it
     */
    handOver: async (place: Bridge, row: CommandRow, waitMs: number): Promise<CommandRow> => {
      const { projectId, id } = row;
      const outcome = waitMs > 0 ? live.wait(row, waitMs) : undefined;
      const reason = await reasonAgainst(place, row);
      if (reason !== undefined) await discard(row, reason);
      if (outcome === undefined) return row;
      return (await outcome) ?? (await store.commands.get(projectId, id).catch(() => undefined)) ?? row;
    },
  };
};

/** Runs `work` once more for all calls that came meanwhile. */
const oneAtATime = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined;
  let isAskedAgain = false;
  const runUntilNotAsked = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      await work();
    } while (isAskedAgain);
  };
  return () => {
    isAskedAgain = true;
    running ??= runUntilNotAsked().finally(() => {
      running = undefined;
    });
    return running;
  };
};

/** Adopts commands that other nodes accepted for bridges of this node: by message, or by reading the rows. */
export const createAdopt = ({
  store,
  router,
  live,
  queues,
  send,
  resume,
}: {
  store: Pick<Store, 'commands'>;
  router: Router;
  live: LiveCommands;
  queues: Queues;
  send: Send;
  resume: (session: Session, row: CommandRow) => Promise<void>;
}) => {
  /** The session of a bridge whose earlier commands have been reconciled. */
  const openSession = (projectId: string, serverId: string): Session | undefined => {
    const session = router.find(projectId, serverId);
    return session?.isOpen() === true && session.window > 0 ? session : undefined;
  };

  const take = (source: CommandSource, asker?: string): HandOverAnswer => {
    if (live.hasPlace(source.id)) return 'taken';
    const command = live.open(source, { asker });
    const place = queues.queueOf(source).admit(command, { direct: true });
    if (place === 'in flight') send.start(command, queues);
    if (place !== 'busy') return 'taken';
    live.forgetIfIdle(command);
    return 'busy';
  };

  const resumeAll = async (leftBehind: readonly CommandRow[]): Promise<void> => {
    for (const row of leftBehind) {
      const session = openSession(row.projectId, row.serverId);
      if (session !== undefined && !live.hasPlace(row.id)) await resume(session, row);
    }
  };

  const look = async (): Promise<void> => {
    const { accepted, leftBehind } = await store.commands.waitingFor(router.node);
    for (const row of accepted) {
      const session = openSession(row.projectId, row.serverId);
      // A game server that restarts gets no new commands: the node that stored it is about to refuse it.
      if (session !== undefined && session.state.draining !== true) take(row);
    }
    await resumeAll(leftBehind);
  };

  return {
    take,
    /** Takes one command. The message has what the queue needs; the row is read when the command is sent. */
    run: async (message: BusMessageOf<'run'>): Promise<HandOverAnswer> => {
      const { projectId, serverId, id, name, target, deadline, asker } = message;
      const session = router.find(projectId, serverId) ?? (await router.arrived(projectId, serverId));
      if (session?.isOpen() !== true) return 'gone';
      if (session.state.draining === true) return 'restarting';
      return take({ projectId, serverId, id, name, target, expiresAt: deadline, round: null }, asker);
    },
    /** Takes over the commands of earlier sessions that are left. A hub of one node has all accepted ones in its queues. */
    takeOver: oneAtATime(async () => resumeAll((await store.commands.waitingFor(router.node)).leftBehind)),
    /** Takes commands whose message got lost, or for which none was sent, from their rows. */
    pickUp: oneAtATime(look),
  };
};

/** Reads the rows of commands that callers or a queue of this node wait for: another node may have settled them. */
export const createWatch = ({ store, live }: { store: Pick<Store, 'commands'>; live: LiveCommands }) => {
  const wakeSettled = (rows: readonly CommandRow[]): void => {
    for (const row of rows) {
      if (!isSettled(row.status)) continue;
      if (live.find(row.id)?.place === 'waiting') live.release(row.id);
      live.wake(row);
    }
  };

  return {
    /** Reads one command after another node announced its end. */
    hint: async (projectId: string, id: string): Promise<void> => {
      if (!live.isAwaited(id)) return;
      const row = await store.commands.get(projectId, id);
      if (row !== undefined) wakeSettled([row]);
    },
    /** Reads all awaited commands: announcements can get lost. */
    all: async (): Promise<void> => {
      const ids = live.unsettled();
      while (ids.length > 0) wakeSettled(await store.commands.among(ids.splice(0, 500)));
    },
  };
};

/**
 * Tells the node to which a bridge has moved to read the rows that wait for it. False: no other node holds the bridge.
 */
export const createHandOn =
  ({ router, bus }: { router: Router; bus: Pick<Bus, 'tell'> }) =>
  async ({ projectId, serverId }: { projectId: string; serverId: string }): Promise<boolean> => {
    // The cached place is this node, where the bridge was a moment ago.
    router.doubt(projectId, serverId);
    const place = await router.locate(projectId, serverId);
    if (place === undefined) return false;
    bus.tell(place.node, { type: 'waiting' });
    return true;
  };

/** After a bridge has left: inserts the commands that wait for it here, and tells the node that holds it now. */
export const createHandOnWaiting =
  ({ queues, send, handOn }: { queues: Queues; send: Send; handOn: ReturnType<typeof createHandOn> }) =>
  async (address: { projectId: string; serverId: string }): Promise<void> => {
    await Promise.all(queues.waitingFor(address).map((command) => send.keep(command)));
    await handOn(address);
  };

/**
 * A node's answer about a bridge; null: it does not hold it. `commands` is null until the bridge has announced any.
 * `forMs`: the bridge may announce more for so long.
 */
type Announced = { commands: readonly CustomCommand[] | null; isReading?: boolean; forMs?: number } | null;
type Address = { projectId: string; serverId: string };

/** Custom commands, asked of the node that holds the bridge: they change as resources start and stop. */
export const createReach = ({ router, bus }: { router: Router; bus: Pick<Bus, 'ask'> }) => {
  /** The place of the bridge with its custom commands. @throws HubError routing_unavailable, bridge_offline */
  const announcedAt = async (place: Bridge, address: Address, isLast = false): Promise<Bridge> => {
    const { projectId, serverId } = address;
    const reply = await bus.ask(place.node, { type: 'custom', projectId, serverId }, ANSWER_WITHIN_MS);
    const announced = typeof reply === 'object' ? (reply.answer as Announced) : undefined;
    if (announced) {
      const custom =
        announced.commands === null ? undefined : new Map(announced.commands.map((each) => [each.name, each]));
      const announcesUntil = performance.now() + (announced.forMs ?? 0);
      return { ...place, custom, announcement: announced.isReading ? announced : undefined, announcesUntil };
    }
    router.doubt(projectId, serverId);
    const next = isLast || reply === 'timeout' ? undefined : await router.locate(projectId, serverId);
    if (next !== undefined && next.id !== place.id) return announcedAt(next, address, true);
    if (announced === null) throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
    throw new HubError('routing_unavailable', undefined, { retryAfterS: 1 });
  };

  const customOfServer = async (address: Address): Promise<ReadonlyMap<string, CustomCommand> | undefined> => {
    const { projectId, serverId } = address;
    const session = router.find(projectId, serverId);
    if (session !== undefined) return customOf(session);
    const place = await router.locate(projectId, serverId);
    return place && customOf(await announcedAt(place, address));
  };

  return {
    announcedAt,
    /** This node's answer to that question. */
    announcedHere: async ({ projectId, serverId }: BusMessageOf<'custom'>): Promise<Announced> => {
      const session = await router.arrived(projectId, serverId);
      if (session === undefined) return null;
      const { custom, announcement, announcesUntil } = session;
      const forMs = announcesUntil - performance.now();
      const commands = custom === undefined ? null : [...custom.values()];
      return { commands, isReading: announcement !== undefined, forMs };
    },
    /** The custom commands of a server, by name; undefined: no bridge of it is connected. @throws HubError */
    customOf: customOfServer,
    /** The same; undefined also while they are not known: commands that wait are checked when they leave. */
    customNow: (address: Address): Promise<ReadonlyMap<string, CustomCommand> | undefined> =>
      customOfServer(address).catch((error: unknown) => {
        if (error instanceof HubError) return undefined;
        throw error;
      }),
  };
};
