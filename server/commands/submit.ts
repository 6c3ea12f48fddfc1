import { nameOfCustom } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import type { CustomCommand, Place, Router, Session } from '../cluster/router.ts';
import { createDeadlines, inTime } from '../platform/deadline.ts';
import { ERRORS, HubError } from '../platform/errors.ts';
import { fingerprintOf } from '../platform/ids.ts';
import type { Phase } from '../platform/shutdown.ts';
import type { createAccept } from './accept.ts';
import { assertCapable, type createReach, customOf } from './capability.ts';
import { isCatalogued, isExactlyOnce } from './catalogue.ts';
import type { LiveCommand, LiveCommands, Queues, Stored } from './queue.ts';
import type { createHandOver } from './remote.ts';
import { draftOf, type SubmitRequest, type Targets, type Undo } from './request.ts';
import type { Send } from './run.ts';

/** `replayed`: an earlier request with the same idempotency key made this command. */
export type Submission = { row: CommandRow; replayed: boolean };

/** Time for reading the row when the wait is over; after that, the hub answers with the row that it has in memory. */
const FINAL_READ_MS = 500;
/** Time for the database beyond the caller's wait. */
const BEYOND_WAIT_MS = 1_000;
/** For callers that do not wait for the outcome. */
const STORED_WITHIN_MS = 5_000;

/** The database did not answer in time. The work goes on, so it is unknown whether the command is or will be stored. */
const tooLate = ({ idempotencyKey }: SubmitRequest): HubError =>
  new HubError(
    'store_unavailable',
    'The database did not answer in time, so the hub does not know whether the command is stored. ' +
      'Repeat it with the same Idempotency-Key; without one, look into the journal first.',
    { executed: 'unknown', retryable: idempotencyKey !== undefined, retryAfterS: 5 },
  );

const MAY_BE_DONE =
  'A backup was restored, so the command may have been carried out before: repeat it with the same Idempotency-Key.';

type CustomCommands = ReadonlyMap<string, CustomCommand>;

/** Makes a command of a request, once per idempotency key, and waits for its outcome as long as the caller does. */
export const createSubmit = ({
  store,
  router,
  live,
  queues,
  send,
  handOver,
  reach,
  accept,
  targets,
  undo,
  phase,
  now,
}: {
  store: Pick<Store, 'commands' | 'servers' | 'players'>;
  router: Router;
  live: LiveCommands;
  queues: Queues;
  send: Send;
  handOver: ReturnType<typeof createHandOver>;
  reach: ReturnType<typeof createReach>;
  accept: ReturnType<typeof createAccept>;
  targets: Targets;
  undo: Undo;
  phase: Readonly<Pick<Phase, 'isDraining'>>;
  now: () => number;
}) => {
  const deadlines = createDeadlines();

  const submit = async (sent: SubmitRequest): Promise<Submission> => {
    if (phase.isDraining) throw new HubError('draining', undefined, { retryAfterS: 5 });
    const { idempotencyKey: key, project } = sent;
    if (key !== undefined) {
      const existing = await store.commands.byIdempotencyKey(project.id, key);
      if (existing !== undefined) return replay(existing, sent);
    }
    const request = isCatalogued(sent) ? await targets.resolve(sent) : sent;
    if (key?.startsWith('undo/') === true) await undo.assertKey(request);
    if (request.deliver !== undefined) return keep(request);
    const submission = await deliver(request);
    if (submission.row.error?.code === 'player_not_found') targets.forget(submission.row);
    return submission;
  };

  /** Stores a command that may wait. If it leaves at once, waits for its outcome. */
  const keep = async (sent: SubmitRequest): Promise<Submission> => {
    const { project, serverId } = sent;
    const address = { projectId: project.id, serverId };
    const request = await aim(sent, isCatalogued(sent) ? undefined : await reach.customNow(address));
    const { row, isNew, isLeaving } = await accept(request);
    if (!isNew) return replay(row, request);
    // It is stored: if it cannot be read now, the answer is its first state.
    const latest = isLeaving ? await join(row, request.waitMs).catch(() => undefined) : undefined;
    return { row: latest ?? row, replayed: false };
  };

  /** A request with the player that it means. The game server says which parameter of a custom command is the player. */
  const aim = async (request: SubmitRequest, custom: CustomCommands | undefined): Promise<SubmitRequest> => {
    if (isCatalogued(request)) return request;
    const roles = custom?.get(nameOfCustom(request.name))?.roles;
    return targets.resolve(roles === undefined ? request : { ...request, roles });
  };

  /** Sends a command to its bridge, on whichever node that is. */
  const deliver = async (request: SubmitRequest): Promise<Submission> => {
    const { project, serverId } = request;
    const session = router.find(project.id, serverId);
    if (session !== undefined) return deliverHere(session, request);
    const place = await locate(request);
    if (place !== undefined) return deliverElsewhere(place, request);
    // The session's row may name this node since a moment ago.
    const arrived = await router.arrived(project.id, serverId);
    return arrived === undefined ? explainAbsence(request) : deliverHere(arrived, request);
  };

  const deliverHere = async (session: Session, sent: SubmitRequest): Promise<Submission> => {
    const request = await aim(sent, isCatalogued(sent) ? undefined : customOf(session));
    const { project } = request;
    assertCapable(session, request, project);
    const draft = draftOf(request, session, now());
    const twin = live.find(draft.id);
    if (twin === undefined || twin.place === 'none') return carryOut(draft, session, request);
    await send.keep(twin);
    const existing = await store.commands.get(project.id, draft.id);
    if (existing === undefined) throw new HubError('store_unavailable', undefined, { retryAfterS: 5 });
    return replay(existing, request);
  };

  const carryOut = async (draft: CommandRow, session: Session, request: SubmitRequest): Promise<Submission> => {
    const { waitMs, idempotencyKey } = request;
    const isDirect = waitMs > 0;
    const command = live.open(draft, { draft });
    const queue = queues.queueOf(draft);
    const place = queue.admit(command, { direct: isDirect });
    if (place === 'busy') {
      live.forgetIfIdle(command);
      throw new HubError('bridge_busy', undefined, { retryAfterS: 2 });
    }
    if (place === 'waiting' && isDirect && idempotencyKey === undefined) return waitInQueue(command, draft, waitMs);
    const isFlying = place === 'in flight';
    const stored = await live.store(command, draft, isFlying ? { session, at: now() } : undefined);
    if ('existing' in stored) {
      live.release(draft.id);
      return replay(stored.existing, request);
    }
    if (!isDirect) {
      queue.pump();
      return { row: stored.inserted, replayed: false };
    }
    const outcome = live.wait(draft, waitMs);
    if (isFlying) send.sendFirst(session, stored.inserted, command);
    return finish(await outcome, command, stored);
  };

  /** The row is inserted when the command is sent: no other request can refer to it before. */
  const waitInQueue = async (command: LiveCommand, draft: CommandRow, waitMs: number): Promise<Submission> => {
    const settled = await live.wait(draft, waitMs);
    return finish(settled, command, await live.store(command, draft));
  };

  /** If the database cannot be read now, a command that was sent must not look unsent. */
  const finish = async (settled: CommandRow | undefined, command: LiveCommand, stored: Stored): Promise<Submission> => {
    const latest = settled ?? (await inTime(store.commands.get(command.projectId, command.id), FINAL_READ_MS));
    const inHand = 'inserted' in stored ? stored.inserted : stored.existing;
    return { row: latest ?? command.dispatched ?? inHand, replayed: false };
  };

  /** For a bridge that another node holds. Nothing is stored unless that node can be reached. */
  const deliverElsewhere = async (place: Place, sent: SubmitRequest): Promise<Submission> => {
    const { project, serverId, waitMs } = sent;
    const known = { ...place, custom: undefined };
    const reached = isCatalogued(sent) ? known : await reach.announcedAt(place, { projectId: project.id, serverId });
    const request = await aim(sent, isCatalogued(sent) ? undefined : customOf(reached));
    assertCapable(reached, request, project);
    handOver.assertReachable(reached, request);
    const stored = await live.insert(draftOf(request, reached, now()));
    if ('existing' in stored) return replay(stored.existing, request);
    return { row: await handOver.handOver(reached, stored.inserted, waitMs), replayed: false };
  };

  /**
   * The node that holds the bridge, if it is another one. For a command that may wait, also the node that held it last.
   * @throws HubError store_unavailable
   */
  const locate = async (request: SubmitRequest): Promise<Place | undefined> => {
    const { project, serverId } = request;
    const canWait = isCatalogued(request) && isExactlyOnce(request.name);
    const find = () => router.locate(project.id, serverId);
    try {
      let place = await find();
      if (place !== undefined && !handOver.isReachable(place, request)) {
        // The cached place may be a node that has gone: its bridge may be welcomed elsewhere by now.
        router.doubt(project.id, serverId);
        place = await find();
      }
      if (place !== undefined || router.find(project.id, serverId) !== undefined || !canWait) return place;
      return await router.lastPlace(project.id, serverId);
    } catch (error) {
      throw new HubError('store_unavailable', undefined, { retryAfterS: 5 }, { cause: error });
    }
  };

  /** The reason why no bridge of this server is connected. */
  const explainAbsence = async ({ project, serverId }: SubmitRequest): Promise<never> => {
    const server = await store.servers.get(project.id, serverId);
    if (server === undefined || server.deletingAt !== null) throw new HubError('server_not_found');
    if (server.disabled) throw new HubError('server_disabled');
    throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
  };

  const replay = async (existing: CommandRow, request: SubmitRequest): Promise<Submission> => {
    if (existing.fingerprint !== fingerprintOf(request.serverId, request.name, request.params)) {
      const { id, status, serverId } = existing;
      const isKnown = serverId === request.serverId;
      throw new HubError('idempotency_mismatch', undefined, isKnown ? { command: { id, status } } : {});
    }
    if (isSettled(existing.status) || existing.status === 'waiting') return { row: existing, replayed: true };
    const row = await join(existing, request.waitMs).catch(() => existing);
    // The node that stored it has discarded it, because no node took it.
    if (row === undefined) throw new HubError('routing_unavailable', undefined, { retryAfterS: 1 });
    return { row, replayed: true };
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

  /** Why a request was refused. Without its bridge, a restored hub does not know that its command had no effect. */
  const refusalOf = (error: unknown, { idempotencyKey: key, name }: SubmitRequest): unknown => {
    if (!(error instanceof HubError) || ERRORS[error.code].status !== 503) return error;
    if (!live.mayBeForgotten({ idempotencyKey: key ?? null, batchId: null, name, createdAt: now() })) return error;
    const inDoubt = { ...error.extras, executed: 'unknown', retryable: true } as const;
    return new HubError(error.code, `${error.message} ${MAY_BE_DONE}`, inDoubt, { cause: error });
  };

  return {
    join,
    /** @throws HubError when nothing was stored or the request does not fit; else the command as it stands. */
    submit: (request: SubmitRequest): Promise<Submission> => {
      const deadlineMs = request.waitMs === 0 ? STORED_WITHIN_MS : request.waitMs + BEYOND_WAIT_MS;
      const submitted = submit(request).catch((error: unknown) => {
        throw refusalOf(error, request);
      });
      return deadlines.within(submitted, deadlineMs, () => tooLate(request));
    },
    /** Ends the requests whose database has not answered in time. */
    sweep: deadlines.sweep,
  };
};
