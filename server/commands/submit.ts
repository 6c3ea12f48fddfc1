import { COMMANDS, nameOfCustom } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { Inserted } from '../../db/queries/commands/transitions.ts';
import type { Namesake } from '../../db/queries/players/find.ts';
import { isSettled, OWED } from '../../db/schema/commands.ts';
import { outboxFor } from '../../db/schema/events.ts';
import type { Store } from '../../db/store.ts';
import { type Address, addressOf, type Bridge, type CustomCommand, type Session } from '../cluster/router.ts';
import type { Phase } from '../platform/background.ts';
import { ERRORS, HubError, unread } from '../platform/errors.ts';
import { serverNotFound } from '../platform/fields.ts';
import { derivedCommandId, fingerprintOf, newId } from '../platform/ids.ts';
import { createDeadlines, inTime } from '../platform/time.ts';
import { Newest } from '../platform/windows.ts';
import {
  assertCapable,
  assertReason,
  type CommandRequest,
  customOf,
  isCatalogued,
  isHubsKey,
  targetOf,
  type Wish,
} from './catalogue.ts';
import type { BridgeElsewhere, Reach } from './elsewhere.ts';
import type { LiveCommand } from './live.ts';
import type { Core } from './run.ts';

/** Targets that are remembered, for all servers together. The latest report is remembered of as many servers. */
const MAX_KNOWN = 10_000;
/** An unknown target is looked up again after this, in case that a message of another node was lost. */
const UNKNOWN_FOR_MS = 60_000;

/** The one player whom an identifier means; undefined: it means none, or several. */
export const playerMeant = async (
  { players }: Pick<Store, 'players'>,
  { projectId, serverId }: Pick<CommandRow, 'projectId' | 'serverId'>,
  identifier: string,
): Promise<string | undefined> => {
  const meant = await players.meant(projectId, serverId, identifier);
  if (meant === 'own') return identifier;
  return meant.length === 1 ? meant[0]?.identifier : undefined;
};

const keyOf = (address: string, target: string): string => `${address} ${target}`;

const ambiguous = (target: string, players: Namesake[], { canSeePlayers }: CommandRequest): HubError =>
  new HubError(
    'player_ambiguous',
    `${target} belongs to ${players.length} players of this server. Send the own identifier of one of them.`,
    canSeePlayers ? { players: players.map(({ identifier, name, online }) => ({ identifier, name, online })) } : {},
  );

/**
 * Finds the player that the target of a command means. A player's own identifier is sent as it is. So is a target that
 * fits no player of the server: then the bridge decides.
 */
export const createTargets = ({ store }: { store: Pick<Store, 'players'> }) => {
  // These targets are sent unchanged: own identifiers, and those that fit no player, until then or until the next report. A
  // look-up costs as much as the rest of a kick.
  const asSent = new Newest<'own' | { until: number; report: number }>(MAX_KNOWN);
  /** The number of the latest report of each server: what was unknown before it may be a player now. */
  const reports = new Map<string, number>();
  let lastReport = 0;
  /** Stands for the reports that were forgotten. */
  let forgotten = 0;
  const reportOf = (address: string): number => reports.get(address) ?? forgotten;

  const isAsSent = (key: string, address: string): boolean => {
    const known = asSent.get(key);
    if (known === undefined || known === 'own') return known === 'own';
    return known.until > performance.now() && known.report === reportOf(address);
  };

  /** @throws HubError player_ambiguous */
  const resolve = async (request: CommandRequest): Promise<CommandRequest> => {
    const { project, serverId } = request;
    const target = targetOf(request);
    if (target === undefined) return request;
    const address = addressOf(project.id, serverId);
    const key = keyOf(address, target);
    // A command that waits is not corrected by a bridge that does not know the player.
    if (request.deliver === undefined && isAsSent(key, address)) return request;
    // Before the look-up, which does not see players that are reported meanwhile.
    const seen = reportOf(address);
    const meant = await store.players.meant(project.id, serverId, target);
    if (meant === 'own') {
      asSent.set(key, 'own');
      return request;
    }
    const [player, ...others] = meant;
    if (others.length > 0) throw ambiguous(target, meant, request);
    if (player !== undefined) return { ...request, player: player.identifier };
    asSent.set(key, { until: performance.now() + UNKNOWN_FOR_MS, report: seen });
    return request;
  };

  return {
    resolve,
    /** Forgets a target that the game server does not know: the next request looks it up again. */
    forget: ({ projectId, serverId, target }: Pick<CommandRow, 'projectId' | 'serverId' | 'target'>): void => {
      if (target !== null) asSent.delete(keyOf(addressOf(projectId, serverId), target));
    },
    /** Players of a server were reported and stored: its unknown targets are looked up again. */
    heard: ({ projectId, serverId }: Address): void => {
      if (reports.size >= MAX_KNOWN) {
        reports.clear();
        forgotten = lastReport;
      }
      lastReport += 1;
      reports.set(addressOf(projectId, serverId), lastReport);
    },
  };
};

/** The columns of a command that has not been sent yet. */
export const UNSENT = {
  attempts: 0,
  epoch: null,
  sessionId: null,
  voidRequested: false,
  result: null,
  error: null,
  dispatchedAt: null,
  settledAt: null,
  resolution: null,
  journalId: null,
  crashes: null,
  restoredAt: null,
  batchId: null,
  undoes: null,
  repeats: null,
  outbox: null,
} as const satisfies Partial<CommandRow>;

/** The fingerprint of a request: two of one key must agree in it. An undo is the same whatever its reason is. */
const fingerprintOfRequest = ({
  serverId,
  name,
  params,
  undoes,
}: Pick<CommandRequest, 'serverId' | 'name' | 'params' | 'undoes'>): string => {
  if (undoes === undefined) return fingerprintOf(serverId, name, params);
  const { reason: _, ...effect } = params as Record<string, unknown>;
  return fingerprintOf(serverId, name, effect);
};

/** The parts of a request of which its row is made. */
type Made = Wish &
  Pick<
    CommandRequest,
    'serverId' | 'actor' | 'requestId' | 'idempotencyKey' | 'deliver' | 'expiresAt' | 'undoes' | 'repeats'
  > & { project: Pick<CommandRequest['project'], 'id' | 'keepEvents'> };

/** The row of a new command. Its parameters are as they were sent; its target is the player. */
export const draftOf = (request: Made, session: Pick<Bridge, 'id' | 'epoch'> | undefined, at: number): CommandRow => {
  const { project, serverId, name, params, idempotencyKey: key, deliver } = request;
  return {
    ...UNSENT,
    id: key === undefined ? newId('cmd') : derivedCommandId(project.id, serverId, name, key),
    projectId: project.id,
    serverId,
    name,
    class: isCatalogued(request) ? COMMANDS[request.name].class : 'exactly-once',
    target: request.player ?? targetOf(request) ?? null,
    params: request.sentAction === undefined ? params : { ...params, action: request.sentAction },
    fingerprint: fingerprintOfRequest(request),
    status: deliver === undefined ? 'accepted' : 'waiting',
    idempotencyKey: key ?? null,
    actor: request.actor,
    requestId: request.requestId,
    epoch: session?.epoch ?? null,
    sessionId: session?.id ?? null,
    createdAt: at,
    expiresAt: request.expiresAt,
    roles: isCatalogued(request) ? null : (request.roles ?? null),
    deliver: deliver ?? null,
    deliverUntil: deliver === undefined ? null : request.expiresAt,
    round: deliver === undefined ? null : 0,
    undoes: request.undoes ?? null,
    repeats: request.repeats ?? null,
    outbox: outboxFor(project, deliver === undefined ? 0 : OWED.waiting),
  };
};

/** A command that is stored as taken back, so that it never starts. Its end is an event like any other. */
export const takenBack = (draft: CommandRow): CommandRow => ({
  ...draft,
  status: 'voided',
  settledAt: draft.createdAt,
  outbox: draft.outbox === null ? null : OWED.ended,
});

/** Time for reading the row when the wait is over; after that, the hub answers with the row that it has in memory. */
const FINAL_READ_MS = 500;
/** Time for the database beyond the caller's wait. */
const BEYOND_WAIT_MS = 1_000;
/** For callers that do not wait for the outcome. */
const STORED_WITHIN_MS = 5_000;

/** The database did not answer in time. The work goes on, so it is unknown whether the command is or will be stored. */
const tooLate = ({ idempotencyKey }: CommandRequest): HubError =>
  new HubError(
    'store_unavailable',
    'The database did not answer in time, so the hub does not know whether the command is stored. ' +
      'Repeat it with the same Idempotency-Key; without one, look into the journal first.',
    { executed: 'unknown', retryable: idempotencyKey !== undefined, retryAfterS: 5 },
  );

const MAY_BE_DONE =
  'A backup was restored, so the command may have been carried out before: repeat it with the same Idempotency-Key.';

/**
 * Makes a command of a request, once per idempotency key, and waits for its outcome as long as the caller does. Routes,
 * schedules and shops call it. What it refuses is not stored; what it answers with is a row that was stored.
 */
export const createSubmit = (
  { store, router, live, run, elsewhere }: Core,
  {
    reach,
    accept,
    phase,
  }: {
    reach: Reach;
    /** Stores a command that may wait. */
    accept: (request: CommandRequest) => Promise<Inserted & { isLeaving: boolean }>;
    phase: Readonly<Pick<Phase, 'isDraining'>>;
  },
) => {
  const targets = createTargets({ store });
  const answerLimits = createDeadlines();

  /** The route has checked the key's scope and servers. */
  const submit = async (sent: CommandRequest): Promise<Inserted> => {
    // 1. Does this hub stop?
    if (phase.isDraining) throw new HubError('draining', undefined, { retryAfterS: 5 });
    // 2. Was there a request with this key?
    const { idempotencyKey: key, project } = sent;
    const earlier = key === undefined ? undefined : await store.commands.byIdempotencyKey(project.id, key);
    if (earlier !== undefined) return replay(earlier, sent);
    // 3. Which player? For a custom command, its game server says which parameter that is.
    const request = isCatalogued(sent) ? await targets.resolve(sent) : sent;
    if (key === undefined || !isHubsKey(key)) assertReason(project, request);
    // 4. Which bridge?
    if (request.deliver !== undefined) return storeForLater(request);
    const bridge = await bridgeFor(request);
    const aimed = isCatalogued(request) ? request : await aim(request, customOf(bridge));
    const submitted = await carryOut(aimed, bridge);
    if (submitted.row.error?.code === 'player_not_found') targets.forget(submitted.row);
    return submitted;
  };

  /** Does the rest for a command that is sent now or not at all. No other work runs between 5 and 7. */
  const carryOut = async (request: CommandRequest, bridge: BridgeElsewhere | Session): Promise<Inserted> => {
    const { project, waitMs, idempotencyKey } = request;
    // 5. Can the bridge do it?
    assertCapable(bridge, request, project);
    // 6. Its row.
    const draft = draftOf(request, bridge, Date.now());
    if ('submit' in bridge) {
      // Another node does 7 to 9 for its bridge.
      const stored = await bridge.submit(draft, waitMs);
      return stored.isNew ? stored : replay(stored.row, request);
    }
    const twin = live.find(draft.id);
    if (twin !== undefined && twin.state.is !== 'unplaced') return joinTwin(twin, request);
    // 7. A slot in the queue.
    const isCallerWaiting = waitMs > 0;
    const command = live.open(draft, { draft });
    const queue = run.queues.queueOf(draft);
    const slot = queue.admit(command, { direct: isCallerWaiting });
    if (slot === 'busy') {
      live.forgetIfIdle(command);
      throw new HubError('bridge_busy', undefined, { retryAfterS: 2 });
    }
    if (slot === 'queued' && isCallerWaiting && idempotencyKey === undefined)
      return waitInQueue(command, draft, waitMs);
    // 8. The insert: as dispatched if it is sent next.
    const isFlying = slot === 'inFlight';
    const stored = await live.store(command, draft, isFlying ? { session: bridge, at: Date.now() } : undefined);
    if (!stored.isNew) {
      live.release(draft.id);
      return replay(stored.row, request);
    }
    if (!isCallerWaiting) {
      queue.pump();
      return stored;
    }
    const outcome = live.wait(draft, waitMs);
    // 9. The frame.
    if (isFlying) run.sendFirst(bridge, stored.row, command);
    // 10. The outcome.
    return finish(await outcome, command, stored);
  };

  /** The bridge at this node or at another one. @throws HubError why there is none */
  const bridgeFor = async (request: CommandRequest): Promise<BridgeElsewhere | Session> => {
    const { project, serverId } = request;
    const bridge = router.find(project.id, serverId) ?? (await elsewhere?.findFor(request));
    if (bridge !== undefined) return bridge;
    // The session's row may name this node since a moment ago.
    const arrived = await router.arrived(project.id, serverId);
    if (arrived !== undefined) return arrived;
    const server = await store.servers.get(project.id, serverId);
    if (server === undefined || server.deletingAt !== null) throw serverNotFound(serverId);
    if (server.disabled) throw new HubError('server_disabled');
    throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
  };

  /** A request with the player that it means. The game server says which parameter of a custom command is the player. */
  const aim = async (
    request: CommandRequest,
    custom: ReadonlyMap<string, CustomCommand> | undefined,
  ): Promise<CommandRequest> => {
    if (isCatalogued(request)) return request;
    const roles = custom?.get(nameOfCustom(request.name))?.roles;
    return targets.resolve(roles === undefined ? request : { ...request, roles });
  };

  /** Stores a command that may wait. If it leaves at once, waits for its outcome. */
  const storeForLater = async (sent: CommandRequest): Promise<Inserted> => {
    const { project, serverId } = sent;
    const address = { projectId: project.id, serverId };
    const request = await aim(sent, isCatalogued(sent) ? undefined : await reach.customNow(address));
    const { row, isNew, isLeaving } = await accept(request);
    if (!isNew) return replay(row, request);
    const latest = isLeaving ? await joinAsKnown(row, request.waitMs) : undefined;
    return { row: latest ?? row, isNew };
  };

  /** A command of the same key has its slot here already. */
  const joinTwin = async (twin: LiveCommand, request: CommandRequest): Promise<Inserted> => {
    await run.ensureStored(twin);
    const existing = await store.commands.get(request.project.id, twin.id);
    if (existing === undefined) throw new HubError('store_unavailable', undefined, { retryAfterS: 5 });
    return replay(existing, request);
  };

  /** The row is inserted when the command is sent: no other request can refer to it before. */
  const waitInQueue = async (command: LiveCommand, draft: CommandRow, waitMs: number): Promise<Inserted> => {
    const settled = await live.wait(draft, waitMs);
    return finish(settled, command, await live.store(command, draft));
  };

  /** If the database cannot be read now, a command that was sent must not look unsent. */
  const finish = async (settled: CommandRow | undefined, command: LiveCommand, stored: Inserted): Promise<Inserted> => {
    const latest = settled ?? (await inTime(store.commands.get(command.projectId, command.id), FINAL_READ_MS));
    return { row: latest ?? command.dispatched ?? stored.row, isNew: true };
  };

  const replay = async (existing: CommandRow, request: CommandRequest): Promise<Inserted> => {
    if (existing.fingerprint !== fingerprintOfRequest(request)) {
      const { id, status, serverId } = existing;
      const isKnown = serverId === request.serverId;
      throw new HubError('idempotency_mismatch', undefined, isKnown ? { command: { id, status } } : {});
    }
    if (isSettled(existing.status) || existing.status === 'waiting') return { row: existing, isNew: false };
    // Its insert may have been reported as failed. In a cluster, the node of its bridge looks for such rows.
    if (elsewhere === undefined && existing.status === 'accepted') run.queues.take(existing);
    const row = await joinAsKnown(existing, request.waitMs);
    // The node that stored it has discarded it, because no node took it.
    if (row === undefined) throw new HubError('routing_unavailable', undefined, { retryAfterS: 1 });
    return { row, isNew: false };
  };

  /** Waits for a command that exists. The row is read after the waiting began: no outcome falls in between. */
  const join = async (known: CommandRow, waitMs: number): Promise<CommandRow | undefined> => {
    const { projectId, id } = known;
    if (waitMs === 0) return store.commands.get(projectId, id);
    const outcome = live.wait(known, waitMs);
    const row = await store.commands.get(projectId, id);
    if (row === undefined) return undefined;
    if (isSettled(row.status)) live.wake(row);
    return (await outcome) ?? (await store.commands.get(projectId, id));
  };

  /** Does the same. If the row cannot be read, the frame that this node has sent tells. @throws HubError store_unavailable */
  const joinAsKnown = (known: CommandRow, waitMs: number): Promise<CommandRow | undefined> =>
    join(known, waitMs).catch(() => {
      const sent = live.find(known.id)?.dispatched ?? (known.status === 'dispatched' ? known : undefined);
      if (sent === undefined) throw unread(known);
      return sent;
    });

  /**
   * Why a request was refused. Without its bridge, or the player who was meant, a restored hub does not know that its command
   * had no effect.
   */
  const refusalOf = (error: unknown, { idempotencyKey: key, name }: CommandRequest): unknown => {
    if (!(error instanceof HubError)) return error;
    if (ERRORS[error.code].status !== 503 && error.code !== 'player_ambiguous') return error;
    if (!live.mayBeForgotten({ idempotencyKey: key ?? null, batchId: null, name, createdAt: Date.now() })) return error;
    const inDoubt = { ...error.extras, executed: 'unknown', retryable: true } as const;
    return new HubError(error.code, `${error.message} ${MAY_BE_DONE}`, inDoubt, { cause: error });
  };

  return {
    join,
    targets,
    /**
     * The command as it stands. `isNew`: no earlier request with the same idempotency key made it.
     * @throws HubError nothing was stored, or the request does not fit
     */
    submit: (request: CommandRequest): Promise<Inserted> => {
      const deadlineMs = request.waitMs === 0 ? STORED_WITHIN_MS : request.waitMs + BEYOND_WAIT_MS;
      const submitted = submit(request).catch((error: unknown) => {
        throw refusalOf(error, request);
      });
      return answerLimits.within(submitted, deadlineMs, () => tooLate(request));
    },
    /** Ends the requests whose database has not answered in time. */
    sweep: answerLimits.sweep,
  };
};
