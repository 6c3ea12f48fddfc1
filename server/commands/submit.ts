import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import type { Place, Router, Session } from '../cluster/router.ts';
import { inTime } from '../platform/deadline.ts';
import { HubError } from '../platform/errors.ts';
import { fingerprintOf } from '../platform/ids.ts';
import { assertCapable, isCatalogued } from './capable.ts';
import { type Dispatch, dispatchedNow, isExactlyOnce } from './dispatch.ts';
import { draftOf, type SubmitRequest } from './draft.ts';
import type { createElsewhere } from './elsewhere.ts';
import { entryOf, type Lanes } from './lanes.ts';
import type { Reach } from './reach.ts';
import { createSlip, notStored, type Slip, type Stored } from './slip.ts';
import { createTargets } from './target.ts';
import type { Waiters } from './waiters.ts';

/** `replayed`: an earlier request with the same idempotency key made this command. */
export type Submission = { row: CommandRow; replayed: boolean };

/** The row as it stands when the wait is over; without it the hub answers what it has in hand. */
const FINAL_READ_MS = 500;
/** Time for the database beyond the caller's wait. */
const BEYOND_WAIT_MS = 1_000;
/** For callers that do not wait for the outcome. */
const STORED_WITHIN_MS = 5_000;

type Deadline = { at: number; end: () => void };

/**
 * Ends requests whose database does not answer. The work goes on, so nobody knows whether the command is stored or will
 * be: the answer says so, and only with an idempotency key may it be repeated.
 */
const createDeadlines = () => {
  const deadlines = new Set<Deadline>();
  return {
    within: (work: Promise<Submission>, { waitMs, idempotencyKey }: SubmitRequest): Promise<Submission> =>
      new Promise((resolve, reject) => {
        const detail =
          'The database did not answer in time, so the hub does not know whether the command is stored. ' +
          'Repeat it with the same Idempotency-Key; without one, look into the journal first.';
        const more = { executed: 'unknown', retryable: idempotencyKey !== undefined, retryAfterS: 5 } as const;
        const deadline: Deadline = {
          at: performance.now() + (waitMs === 0 ? STORED_WITHIN_MS : waitMs + BEYOND_WAIT_MS),
          end: () => reject(new HubError('store_unavailable', detail, more)),
        };
        deadlines.add(deadline);
        work.then(
          (submission) => {
            deadlines.delete(deadline);
            resolve(submission);
          },
          (error: unknown) => {
            deadlines.delete(deadline);
            reject(error);
          },
        );
      }),
    sweep: (): void => {
      const now = performance.now();
      for (const deadline of deadlines) {
        if (deadline.at > now) continue;
        deadlines.delete(deadline);
        deadline.end();
      }
    },
  };
};

/** Makes a command of a request, once per idempotency key, and waits for its outcome as long as the caller does. */
export const createSubmit = ({
  store,
  router,
  lanes,
  waiters,
  dispatch,
  elsewhere,
  reach,
  isDraining,
  isReadOnly,
  now,
}: {
  store: Pick<Store, 'commands' | 'servers' | 'players'>;
  router: Router;
  lanes: Lanes;
  waiters: Waiters;
  dispatch: Dispatch;
  elsewhere: ReturnType<typeof createElsewhere>;
  reach: Reach;
  isDraining: () => boolean;
  isReadOnly: () => boolean;
  now: () => number;
}) => {
  const targets = createTargets({ store });

  /** Why no bridge of this server is there. */
  const explainAbsence = async ({ project, serverId }: SubmitRequest): Promise<never> => {
    const server = await store.servers.get(project.id, serverId);
    if (server === undefined || server.deletingAt !== null) throw new HubError('server_not_found');
    if (server.disabled) throw new HubError('server_disabled');
    throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
  };

  /** Waits for a command that exists. The row is read after the waiting began: no outcome falls in between. */
  const join = async (projectId: string, id: string, waitMs: number): Promise<CommandRow | undefined> => {
    if (waitMs === 0) return store.commands.get(projectId, id);
    const outcome = waiters.wait(id, waitMs);
    const row = await store.commands.get(projectId, id);
    if (row === undefined) return undefined;
    if (isSettled(row.status)) waiters.wake(row);
    return (await outcome) ?? (await store.commands.get(projectId, id));
  };

  const replay = async (existing: CommandRow, request: SubmitRequest): Promise<Submission> => {
    if (existing.fingerprint !== fingerprintOf(request.serverId, request.name, request.params)) {
      throw new HubError('idempotency_mismatch');
    }
    if (isSettled(existing.status)) return { row: existing, replayed: true };
    const row = await join(existing.projectId, existing.id, request.waitMs).catch(() => existing);
    // The node that stored it found no other one that takes it.
    if (row === undefined) throw new HubError('routing_unavailable', undefined, { retryAfterS: 1 });
    return { row, replayed: true };
  };

  const insert = async (row: CommandRow): Promise<Stored> => {
    try {
      return await store.commands.insert(row, { durable: isExactlyOnce(row.name) });
    } catch (error) {
      lanes.release(row.id);
      throw notStored(error);
    }
  };

  /** Waits in a queue, and is written when its turn comes: nobody has been told of it, and nobody else can want it. */
  const waitUnwritten = async (slip: Slip, id: string, waitMs: number): Promise<CommandRow | undefined> => {
    const settled = await waiters.wait(id, waitMs);
    if (settled === undefined) await slip.stored();
    return settled;
  };

  const send = async (draft: CommandRow, session: Session, request: SubmitRequest): Promise<Submission> => {
    const { project, waitMs } = request;
    const slip = createSlip(draft, insert, (error) => waiters.fail(draft.id, error));
    const queue = lanes.laneOf(draft.projectId, draft.serverId);
    const isDirect = waitMs > 0;
    const entry = entryOf(draft, { slip });
    const place = queue.admit(entry, { direct: isDirect });
    if (place === 'busy') throw new HubError('bridge_busy', undefined, { retryAfterS: 2 });
    lanes.remember(entry, queue);
    // A database that cannot be read now must not make a command that was sent look as if it were not.
    const finished = async (settled: CommandRow | undefined, stored: Stored): Promise<Submission> => {
      const latest = settled ?? (await inTime(store.commands.get(project.id, draft.id), FINAL_READ_MS));
      const inHand = 'inserted' in stored ? stored.inserted : stored.existing;
      return { row: latest ?? entry.dispatched ?? inHand, replayed: false };
    };
    if (place === 'waiting' && isDirect && request.idempotencyKey === undefined) {
      return finished(await waitUnwritten(slip, draft.id, waitMs), await slip.stored());
    }
    const isFlying = place === 'flying';
    const stored = await (isFlying ? slip.storeAs(dispatchedNow(session, now())) : slip.stored());
    if ('existing' in stored) {
      lanes.release(draft.id);
      return replay(stored.existing, request);
    }
    if (!isDirect) {
      queue.pump();
      return { row: stored.inserted, replayed: false };
    }
    const outcome = waiters.wait(draft.id, waitMs);
    if (isFlying) dispatch.deliverFirst(session, stored.inserted, entry, lanes);
    return finished(await outcome, stored);
  };

  /**
   * Where the bridge is, if not here; for a command that may wait for it, also where it was a moment ago.
   * @throws HubError store_unavailable
   */
  const locate = async (request: SubmitRequest): Promise<Place | undefined> => {
    const { project, serverId } = request;
    const canWait = isCatalogued(request) && isExactlyOnce(request.name);
    try {
      const place = await router.locate(project.id, serverId);
      if (place !== undefined || router.find(project.id, serverId) !== undefined || !canWait) return place;
      return await router.lastPlace(project.id, serverId);
    } catch (error) {
      throw new HubError('store_unavailable', undefined, { retryAfterS: 5 }, { cause: error });
    }
  };

  /** For a bridge that another node holds. Nothing is stored unless that node can be reached. */
  const sendElsewhere = async (place: Place, request: SubmitRequest): Promise<Submission> => {
    const { project, serverId, waitMs } = request;
    const known = { ...place, custom: undefined };
    const reached = isCatalogued(request) ? known : await reach.announcedAt(place, { projectId: project.id, serverId });
    assertCapable(reached, request, project);
    elsewhere.assertReachable(reached, request);
    const stored = await insert(draftOf(request, reached, now()));
    if ('existing' in stored) return replay(stored.existing, request);
    return { row: await elsewhere.handOver(reached, stored.inserted, waitMs), replayed: false };
  };

  const sendHere = async (session: Session, request: SubmitRequest): Promise<Submission> => {
    const { project } = request;
    assertCapable(session, request, project);
    const draft = draftOf(request, session, now());
    const twin = lanes.find(draft.id);
    if (twin === undefined) return await send(draft, session, request);
    await dispatch.keep(twin);
    const existing = await store.commands.get(project.id, draft.id);
    if (existing === undefined) throw new HubError('store_unavailable', undefined, { retryAfterS: 5 });
    return replay(existing, request);
  };

  /** Sends a command to its bridge, wherever that is. */
  const deliver = async (request: SubmitRequest): Promise<Submission> => {
    const { project } = request;
    const session = router.find(project.id, request.serverId);
    if (session !== undefined) return sendHere(session, request);
    const place = await locate(request);
    if (place !== undefined) return sendElsewhere(place, request);
    // Its row may say since a moment ago that it is here.
    const arrived = await router.arrived(project.id, request.serverId);
    return arrived === undefined ? explainAbsence(request) : sendHere(arrived, request);
  };

  const submit = async (sent: SubmitRequest): Promise<Submission> => {
    if (isDraining()) throw new HubError('draining', undefined, { retryAfterS: 5 });
    const { idempotencyKey: key, project } = sent;
    if (key !== undefined) {
      const existing = await store.commands.byIdempotencyKey(project.id, key);
      if (existing !== undefined) return replay(existing, sent);
    }
    // After the key: an earlier request with it may have been executed.
    if (isReadOnly()) throw new HubError('store_unavailable', undefined, { retryAfterS: 5 });
    const request = await targets.resolve(sent);
    const submission = await deliver(request);
    if (submission.row.error?.code === 'player_not_found') targets.forget(request);
    return submission;
  };

  const deadlines = createDeadlines();

  return {
    join,
    /** @throws HubError when nothing was stored or the request does not fit; else the command as it stands. */
    submit: (request: SubmitRequest): Promise<Submission> => deadlines.within(submit(request), request),
    /** Ends the requests whose database has not answered in time. */
    sweep: deadlines.sweep,
  };
};
