import { COMMANDS, type CommandName, type CommandParams, commandTag } from '../../bridge-protocol/index.ts';
import type { CommandRow, NewCommand } from '../../db/commands.ts';
import type { ProjectRow } from '../../db/projects.ts';
import type { Store } from '../../db/store.ts';
import { HubError, invalidField } from '../errors.ts';
import { derivedCommandId, fingerprintOf, newId } from '../ids.ts';
import type { Router, Session } from '../router.ts';
import { type Dispatch, isExactlyOnce } from './dispatch.ts';
import { entryOf, type Lanes } from './lanes.ts';
import { isSettled } from './outcome.ts';
import type { Waiters } from './waiters.ts';

export type SubmitRequest<N extends CommandName = CommandName> = {
  project: ProjectRow;
  serverId: string;
  actor: { keyId: string; name: string };
  requestId: string;
  name: N;
  params: CommandParams<N>;
  idempotencyKey: string | undefined;
  /** Epoch milliseconds after which it must not be sent any more. */
  expiresAt: number;
  /** How long the caller waits for the outcome; 0: not at all. */
  waitMs: number;
};

/** `replayed`: an earlier request with the same idempotency key made this command. */
export type Submission = { row: CommandRow; replayed: boolean };

const assertCapable = (session: Session, { project, name, params }: SubmitRequest): void => {
  if (session.state.draining === true) throw new HubError('server_restarting', undefined, { retryAfterS: 30 });
  if (!session.commands.has(commandTag(name))) throw new HubError('unsupported');
  if (!('type' in params)) return;
  if (session.journalClass === 'volatile' && !project.allowVolatile) throw new HubError('journal_required');
  if (!session.accounts.includes(params.type)) {
    throw invalidField('/type', `this server has the accounts ${session.accounts.join(', ')}`);
  }
  if (project.maxAmount !== null && params.amount > project.maxAmount) {
    throw invalidField('/amount', `the project allows at most ${project.maxAmount} in one command`);
  }
};

const draftOf = (request: SubmitRequest, session: Session, at: number): NewCommand => {
  const { project, serverId, name, params, idempotencyKey: key } = request;
  return {
    id: key === undefined ? newId('cmd') : derivedCommandId(project.id, serverId, name, key),
    projectId: project.id,
    serverId,
    name,
    class: COMMANDS[name].class,
    target: params.target,
    params,
    fingerprint: fingerprintOf(serverId, name, params),
    status: 'accepted',
    idempotencyKey: key ?? null,
    actor: request.actor,
    requestId: request.requestId,
    attempts: 0,
    epoch: session.epoch,
    sessionId: session.id,
    voidRequested: false,
    createdAt: at,
    expiresAt: request.expiresAt,
  };
};

/** Makes a command of a request, once per idempotency key, and waits for its outcome as long as the caller does. */
export const createSubmit = ({
  store,
  router,
  lanes,
  waiters,
  dispatch,
  isDraining,
  now,
}: {
  store: Pick<Store, 'commands' | 'servers'>;
  router: Router;
  lanes: Lanes;
  waiters: Waiters;
  dispatch: Dispatch;
  isDraining: () => boolean;
  now: () => number;
}) => {
  const findSession = async ({ project, serverId }: SubmitRequest): Promise<Session> => {
    const session = router.find(project.id, serverId);
    if (session !== undefined) return session;
    const server = await store.servers.get(project.id, serverId);
    if (server === undefined) throw new HubError('server_not_found');
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
    const row = isSettled(existing.status)
      ? existing
      : ((await join(existing.projectId, existing.id, request.waitMs)) ?? existing);
    return { row, replayed: true };
  };

  const insert = async (draft: NewCommand): Promise<Awaited<ReturnType<Store['commands']['insert']>>> => {
    try {
      return await store.commands.insert(draft, { durable: isExactlyOnce(draft.name) });
    } catch (error) {
      lanes.release(draft.id);
      throw new HubError('store_unavailable', undefined, { retryAfterS: 5 }, { cause: error });
    }
  };

  const send = async (draft: NewCommand, session: Session, request: SubmitRequest): Promise<Submission> => {
    let markStored = (): void => undefined;
    const stored = new Promise<void>((resolve) => {
      markStored = resolve;
    });
    const entry = entryOf({ ...draft, target: draft.target ?? null }, stored);
    const queue = lanes.laneOf(draft.projectId, draft.serverId);
    const isDirect = request.waitMs > 0;
    const place = queue.admit(entry, { direct: isDirect });
    if (place === 'busy') throw new HubError('bridge_busy', undefined, { retryAfterS: 2 });
    lanes.remember(entry);
    const isFlying = place === 'flying';
    const row = isFlying ? { ...draft, status: 'dispatched' as const, attempts: 1, dispatchedAt: now() } : draft;
    const result = await insert(row).finally(markStored);
    if ('existing' in result) {
      lanes.release(draft.id);
      return replay(result.existing, request);
    }
    if (!isDirect) {
      queue.pump();
      return { row: result.inserted, replayed: false };
    }
    const outcome = waiters.wait(draft.id, request.waitMs);
    if (isFlying) dispatch.deliverFirst(session, result.inserted, lanes);
    const settled = (await outcome) ?? (await store.commands.get(draft.projectId, draft.id));
    return { row: settled ?? result.inserted, replayed: false };
  };

  return {
    join,
    /** @throws HubError when nothing was stored or the request does not fit; else the command as it stands. */
    submit: async (request: SubmitRequest): Promise<Submission> => {
      if (isDraining()) throw new HubError('draining', undefined, { retryAfterS: 5 });
      const { idempotencyKey: key, project } = request;
      if (key !== undefined) {
        const existing = await store.commands.byIdempotencyKey(project.id, key);
        if (existing !== undefined) return replay(existing, request);
      }
      const session = await findSession(request);
      assertCapable(session, request);
      const draft = draftOf(request, session, now());
      const twin = lanes.find(draft.id);
      if (twin === undefined) return send(draft, session, request);
      await twin.stored;
      const existing = await store.commands.get(project.id, draft.id);
      if (existing === undefined) throw new HubError('store_unavailable', undefined, { retryAfterS: 5 });
      return replay(existing, request);
    },
  };
};
