import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { Inserted } from '../../db/queries/commands/transitions.ts';
import { isSettled } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import { ANSWER_WITHIN_MS, type Bus, type BusMessageOf } from '../cluster/bus.ts';
import { type Address, type Bridge, bridgeOf, type CustomCommand, type Router } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import { type ErrorCode, HubError, unread } from '../platform/errors.ts';
import { serverNotFound } from '../platform/fields.ts';
import { Jobs } from '../platform/jobs.ts';
import {
  assertCapable,
  type CommandRequest,
  customOf,
  isCatalogued,
  isExactlyOnce,
  isStillExpected,
  type Wish,
} from './catalogue.ts';
import type { LiveCommand, LiveCommands } from './live.ts';
import { wireIdOf } from './outcome.ts';
import type { Queues } from './queue.ts';

/*
 * Bridges that other nodes hold. No other file of this folder knows that there are nodes, and a hub of one node has no
 * `Elsewhere`. Messages are hints: a row that two nodes change is changed by an update that requires its old state.
 */

/** A command with its game server. */
type Aimed = Wish & Pick<CommandRequest, 'project' | 'serverId'>;

/** Answer of the node that holds the bridge to an accepted command. */
type HandOverAnswer = 'taken' | 'gone' | 'busy' | 'restarting';

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
 * A node's answer about a bridge; null: it does not hold it. `commands` is null until the bridge has announced any.
 * `forMs`: the bridge may announce more for so long.
 */
type Announced = { commands: readonly CustomCommand[] | null; isReading?: boolean; forMs?: number } | null;

/** A bridge that another node holds, with the way to it: see `Elsewhere.submit`. */
export type BridgeElsewhere = Bridge & { submit: (draft: CommandRow, waitMs: number) => Promise<Inserted> };

const messageOf = (row: CommandRow, { epoch }: Bridge, asker: string): BusMessageOf<'run'> => {
  const { id, projectId, serverId, name, target, expiresAt: deadline } = row;
  return { type: 'run', projectId, serverId, id, name, target, epoch, deadline, asker };
};

type Deps = {
  store: Pick<Store, 'commands'>;
  router: Router;
  bus: Pick<Bus, 'ask' | 'tell' | 'isUp'>;
  background: Background;
  live: LiveCommands;
  /** The steps of this node for its own bridges, which other nodes ask for. */
  here: {
    take: Queues['take'];
    /** Inserts its row, if that has not been done. */
    ensureStored: (command: LiveCommand) => Promise<unknown>;
    queuedFor: Queues['queuedFor'];
    /** Takes over commands that earlier sessions left. */
    resumeAll: (leftBehind: readonly CommandRow[]) => Promise<void>;
    /** Looks for rows that wait for bridges of this node. */
    lookForWaiting: () => Promise<void>;
  };
};

/**
 * Commands for bridges that another node holds. This node inserts the row and that node sends the command. If no node
 * takes a money or custom command, it stays accepted until it expires: the node to which the bridge comes back sends it.
 * A kick that no node takes is discarded, because it is for a player who is online now. A command that the node refuses
 * is discarded too.
 */
export class Elsewhere {
  readonly #deps: Deps;
  readonly #picking: Jobs;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#picking = new Jobs('pick up commands', deps.background, (node) => this.#look(node));
  }

  /** Takes commands whose message got lost, or for which none was sent, from their rows. */
  pickUp(): Promise<void> {
    return this.#picking.run(this.#deps.router.node);
  }

  /** The bridge of a server, if another node holds it. */
  find({ projectId, serverId }: Address): Promise<Bridge | undefined> {
    return this.#deps.router.locate(projectId, serverId);
  }

  /**
   * The bridge that a request is for, with its custom commands if it needs them. For a command that may wait, also a bridge
   * that left its node a moment ago. @throws HubError store_unavailable, routing_unavailable, bridge_offline
   */
  async findFor(request: CommandRequest): Promise<BridgeElsewhere | undefined> {
    const address = { projectId: request.project.id, serverId: request.serverId };
    const bridge = await this.#locate(request, address).catch((error: unknown) => {
      throw new HubError('store_unavailable', undefined, { retryAfterS: 5 }, { cause: error });
    });
    if (bridge === undefined) return undefined;
    const found = isCatalogued(request) ? bridge : await this.withCustom(bridge, address);
    return { ...found, submit: (draft, waitMs) => this.submit(found, draft, waitMs) };
  }

  /** The bridge with its custom commands, which its node knows. @throws HubError routing_unavailable, bridge_offline */
  async withCustom(bridge: Bridge, address: Address, isLast = false): Promise<Bridge> {
    const { bus, router } = this.#deps;
    const { projectId, serverId } = address;
    const reply = await bus.ask(bridge.node, { type: 'custom', projectId, serverId }, ANSWER_WITHIN_MS);
    const announced = typeof reply === 'object' ? (reply.answer as Announced) : undefined;
    if (announced) {
      const custom =
        announced.commands === null ? undefined : new Map(announced.commands.map((each) => [each.name, each]));
      const announcesUntil = performance.now() + (announced.forMs ?? 0);
      return { ...bridge, custom, announcement: announced.isReading ? announced : undefined, announcesUntil };
    }
    router.doubt(projectId, serverId);
    const next = isLast || reply === 'timeout' ? undefined : await router.locate(projectId, serverId);
    if (next !== undefined && next.id !== bridge.id) return this.withCustom(next, address, true);
    if (announced === null) throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
    throw new HubError('routing_unavailable', undefined, { retryAfterS: 1 });
  }

  /**
   * Stores a command, unless its id or key is taken, gives it to the node that holds its bridge, and waits for the outcome.
   * If a node may have taken it, its row is watched.
   * @throws HubError nothing is stored: the node cannot be asked, no node takes the command, or its node refuses it
   */
  async submit(bridge: Bridge, draft: CommandRow, waitMs: number): Promise<Inserted> {
    const { bus, router, live } = this.#deps;
    if (!bus.isUp()) {
      router.doubt(draft.projectId, draft.serverId);
      throw refusing(UNREACHED);
    }
    const stored = await live.insert(draft);
    return stored.isNew ? { row: await this.#handOver(bridge, stored.row, waitMs), isNew: true } : stored;
  }

  /** Asks the bridge, if another node holds it, not to start a command. */
  async void(row: CommandRow): Promise<void> {
    const { projectId, serverId } = row;
    const bridge = await this.find(row);
    if (bridge === undefined) return;
    this.#deps.bus.tell(bridge.node, { type: 'void', projectId, serverId, id: wireIdOf(row) });
  }

  /** Asks a bridge for the record of a player; false: no other node holds it, or it did not tell. */
  async read({ identifier, ...address }: Address & { identifier: string }, withinMs: number): Promise<boolean> {
    const bridge = await this.find(address);
    if (bridge === undefined) return false;
    const reply = await this.#deps.bus.ask(bridge.node, { type: 'read', ...address, identifier }, withinMs);
    return typeof reply === 'object' && reply.answer === true;
  }

  /** Tells the node that asked for a command how it ended. */
  settled(asker: string, row: CommandRow): void {
    this.#deps.bus.tell(asker, { type: 'settled', row });
  }

  /** The node that holds the bridge, if it is another one, reads the rows that wait for it. False: there is none. */
  async tell(address: Address): Promise<boolean> {
    const bridge = await this.find(address);
    if (bridge !== undefined) this.#deps.bus.tell(bridge.node, { type: 'waiting' });
    return bridge !== undefined;
  }

  /** Does the same for a bridge that was here a moment ago: the cache still names this node. */
  moved({ projectId, serverId }: Address): Promise<boolean> {
    this.#deps.router.doubt(projectId, serverId);
    return this.tell({ projectId, serverId });
  }

  /** A bridge has left this node: inserts the commands that are queued for it here, and tells the node that holds it now. */
  async handOn(address: Address): Promise<void> {
    const { here } = this.#deps;
    await Promise.all(here.queuedFor(address).map((command) => here.ensureStored(command)));
    await this.moved(address);
  }

  /** Reads one command after another node announced its end. */
  async hint(projectId: string, id: string): Promise<void> {
    const { store, live } = this.#deps;
    if (live.find(id)?.isAwaited !== true) return;
    const row = await store.commands.get(projectId, id);
    if (row !== undefined) this.#wakeSettled([row]);
  }

  /** Reads all commands that callers or a queue of this node wait for: announcements can get lost. */
  async watch(): Promise<void> {
    const { store, live } = this.#deps;
    const ids = live.unsettled();
    while (ids.length > 0) this.#wakeSettled(await store.commands.among(ids.splice(0, 500)));
  }

  /** The answers of this node to messages from others. */
  get heard() {
    const { router, live, here } = this.#deps;
    return {
      run: (message: BusMessageOf<'run'>) => this.#run(message),
      custom: ({ projectId, serverId }: BusMessageOf<'custom'>) => this.#announcedHere(projectId, serverId),
      void: ({ projectId, serverId, id }: BusMessageOf<'void'>) =>
        router.find(projectId, serverId)?.send({ type: 'void', id }),
      settled: ({ row }: BusMessageOf<'settled'>) => live.wake(row),
      waiting: async (): Promise<void> => {
        await this.pickUp();
        await here.lookForWaiting();
      },
    };
  }

  async #locate(request: CommandRequest, { projectId, serverId }: Address): Promise<Bridge | undefined> {
    const { router } = this.#deps;
    const bridge = await router.locate(projectId, serverId);
    const canWait = isCatalogued(request) && isExactlyOnce(request.name);
    if (bridge !== undefined || router.find(projectId, serverId) !== undefined || !canWait) return bridge;
    return router.lastPlace(projectId, serverId);
  }

  /** Gives an accepted command to the node that holds its bridge, and waits for the outcome. */
  async #handOver(bridge: Bridge, row: CommandRow, waitMs: number): Promise<CommandRow> {
    const { store, live } = this.#deps;
    const { projectId, id } = row;
    const outcome = waitMs > 0 ? live.wait(row, waitMs) : undefined;
    const reason = await this.#reasonAgainst(bridge, row);
    if (reason !== undefined) await this.#discard(row, reason);
    if (outcome === undefined) return row;
    const settled = await outcome;
    if (settled !== undefined) return settled;
    // The other node may have sent it.
    const latest = await store.commands.get(projectId, id).catch(() => {
      throw unread(row);
    });
    return latest ?? row;
  }

  async #ask(bridge: Bridge, row: CommandRow): Promise<HandOverAnswer | 'no_responders' | 'timeout' | null> {
    const { bus, router } = this.#deps;
    const reply = await bus.ask(bridge.node, messageOf(row, bridge, router.node), ANSWER_WITHIN_MS);
    return typeof reply === 'object' ? (reply.answer as HandOverAnswer | null) : reply;
  }

  /** Asks the node and, if that one no longer holds the bridge, the node to which it has moved. */
  async #offer(bridge: Bridge, row: CommandRow): Promise<HandOverAnswer | 'no_responders' | 'timeout' | null> {
    const { router } = this.#deps;
    const answer = await this.#ask(bridge, row);
    if (answer !== 'gone' && answer !== 'no_responders') return answer;
    const { projectId, serverId } = row;
    router.doubt(projectId, serverId);
    if ((await router.arrived(projectId, serverId)) !== undefined) {
      return this.#run(messageOf(row, bridge, router.node));
    }
    const next = await router.locate(projectId, serverId).catch(() => 'unknown' as const);
    if (next === 'unknown') return 'timeout';
    if (next !== undefined && next.id !== bridge.id) return this.#ask(next, row);
    // The session's row is out of date: the next request reads it again.
    router.doubt(projectId, serverId);
    return answer;
  }

  /** Why the command is not sent. Undefined: a node took it, may have taken it, or takes it when the bridge is back. */
  async #reasonAgainst(bridge: Bridge, row: CommandRow): Promise<Reason | undefined> {
    const answer = await this.#offer(bridge, row);
    if (answer === null || answer === 'taken') return undefined;
    const canWait = answer !== 'busy' && answer !== 'restarting';
    return canWait && isExactlyOnce(row.name) ? undefined : REASONS[answer];
  }

  /** Deletes the row and refuses the request, so the idempotency key can be used again. @throws HubError */
  async #discard({ projectId, id }: CommandRow, reason: Reason): Promise<void> {
    const { store, live } = this.#deps;
    if (!(await store.commands.discard(projectId, id).catch(() => false))) return;
    live.drop(id);
    throw refusing(reason);
  }

  /** Takes a command. The message has what the queue needs; the row is read when the command is sent. */
  async #run(message: BusMessageOf<'run'>): Promise<HandOverAnswer> {
    const { router, here } = this.#deps;
    const { projectId, serverId, id, name, target, deadline, asker } = message;
    const session = router.find(projectId, serverId) ?? (await router.arrived(projectId, serverId));
    if (session?.isOpen() !== true) return 'gone';
    if (session.state.draining === true) return 'restarting';
    return here.take({ projectId, serverId, id, name, target, expiresAt: deadline, round: null, undoes: null }, asker);
  }

  async #announcedHere(projectId: string, serverId: string): Promise<Announced> {
    const session = await this.#deps.router.arrived(projectId, serverId);
    if (session === undefined) return null;
    const { custom, announcement, announcesUntil } = session;
    const forMs = announcesUntil - performance.now();
    const commands = custom === undefined ? null : [...custom.values()];
    return { commands, isReading: announcement !== undefined, forMs };
  }

  async #look(node: string): Promise<void> {
    const { store, router, here } = this.#deps;
    const { accepted, leftBehind } = await store.commands.waitingFor(node);
    for (const row of accepted) {
      const session = router.find(row.projectId, row.serverId);
      const isReady = session?.isOpen() === true && session.window > 0;
      // A game server that restarts gets no new commands: the node that stored it is about to refuse it.
      if (isReady && session.state.draining !== true) here.take(row);
    }
    await here.resumeAll(leftBehind);
  }

  #wakeSettled(rows: readonly CommandRow[]): void {
    const { live } = this.#deps;
    for (const row of rows) {
      if (!isSettled(row.status)) continue;
      if (live.find(row.id)?.state.is === 'queued') live.release(row.id);
      live.wake(row);
    }
  }
}

/** Finds the bridge of a server, at this node first and then at others, and says whether it can carry a command out. */
export class Reach {
  readonly #parts;

  constructor(parts: {
    store: Pick<Store, 'servers' | 'sessions'>;
    router: Router;
    elsewhere: Elsewhere | undefined;
  }) {
    this.#parts = parts;
  }

  /** Without the custom commands of a bridge at another node, unless they are asked for. @throws HubError */
  async find(address: Address, { custom = false } = {}): Promise<Bridge | undefined> {
    const { router, elsewhere } = this.#parts;
    const session = router.find(address.projectId, address.serverId);
    if (session !== undefined) return session;
    const bridge = await elsewhere?.find(address);
    return custom && bridge !== undefined ? elsewhere?.withCustom(bridge, address) : bridge;
  }

  /** The custom commands of a server, by name; undefined: no bridge of it is connected. @throws HubError */
  async customOf(address: Address): Promise<ReadonlyMap<string, CustomCommand> | undefined> {
    const bridge = await this.find(address, { custom: true });
    return bridge && customOf(bridge);
  }

  /** Undefined also while they are not known: commands that wait are checked when they leave. */
  customNow(address: Address): Promise<ReadonlyMap<string, CustomCommand> | undefined> {
    return this.customOf(address).catch((error: unknown) => {
      if (error instanceof HubError) return undefined;
      throw error;
    });
  }

  /** The server exists, and its bridge can do it, or could when it was last connected. @throws HubError */
  async assertServer(request: Aimed): Promise<void> {
    const { store, router } = this.#parts;
    const { project, serverId } = request;
    const server = await store.servers.get(project.id, serverId);
    if (server === undefined || server.deletingAt !== null) throw serverNotFound(serverId);
    if (server.disabled) throw new HubError('server_disabled');
    const session = router.find(project.id, serverId);
    const row = session === undefined ? await store.sessions.get(project.id, serverId) : undefined;
    const bridge = session ?? (row && bridgeOf(row));
    if (bridge === undefined) {
      throw new HubError('bridge_offline', 'No bridge of this server has ever connected: connect one first.', {
        retryAfterS: 5,
      });
    }
    // Custom commands are known only while their server is connected; they are checked again when they leave.
    const isExpected = session !== undefined && isStillExpected(session, request);
    if (isCatalogued(request) || (bridge.custom !== undefined && !isExpected)) {
      assertCapable({ ...bridge, state: {} }, request, project);
    }
  }

  /** Checks a command as a submission would. @throws HubError the server is away, or cannot run this command now */
  async assertPossible(request: Aimed): Promise<void> {
    const { project, serverId } = request;
    const bridge = await this.find({ projectId: project.id, serverId }, { custom: !isCatalogued(request) });
    if (bridge !== undefined) return assertCapable(bridge, request, project);
    // A command that the bridge could not do when it was last connected would be refused, not wait.
    await this.assertServer(request);
    throw new HubError('bridge_offline');
  }
}
