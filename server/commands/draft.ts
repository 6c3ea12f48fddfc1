import { COMMANDS, targetOfCustom } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Reached } from '../cluster/router.ts';
import { derivedCommandId, fingerprintOf, newId } from '../platform/ids.ts';
import { isCatalogued, type Wish } from './capable.ts';

export type SubmitRequest = Wish & {
  project: ProjectRow;
  serverId: string;
  actor: { keyId: string; name: string };
  requestId: string;
  idempotencyKey: string | undefined;
  /** The own identifier of the player whom the target means, where the caller sent another one. */
  player?: string;
  /** Whether the caller's key may read players. */
  canSeePlayers: boolean;
  /** The caller's word for `remove`: shown in answers, and not told to the bridge. */
  sentAction?: 'deduct';
  /** Epoch milliseconds after which it must not be sent any more. */
  expiresAt: number;
  /** How long the caller waits for the outcome; 0: not at all. */
  waitMs: number;
};

/** The player that a command names, in the caller's word; undefined: it names none. */
export const targetOf = (wish: Wish): string | undefined =>
  isCatalogued(wish) ? wish.params.target : targetOfCustom(wish.params);

/** The row of a new command. Its parameters are as they were sent; its target is the player. */
export const draftOf = (request: SubmitRequest, session: Pick<Reached, 'id' | 'epoch'>, at: number): CommandRow => {
  const { project, serverId, name, params, idempotencyKey: key } = request;
  const isKnown = isCatalogued(request);
  return {
    id: key === undefined ? newId('cmd') : derivedCommandId(project.id, serverId, name, key),
    projectId: project.id,
    serverId,
    name,
    class: isKnown ? COMMANDS[request.name].class : 'exactly-once',
    target: request.player ?? targetOf(request) ?? null,
    params: request.sentAction === undefined ? params : { ...params, action: request.sentAction },
    fingerprint: fingerprintOf(serverId, name, params),
    status: 'accepted',
    idempotencyKey: key ?? null,
    actor: request.actor,
    requestId: request.requestId,
    attempts: 0,
    epoch: session.epoch,
    sessionId: session.id,
    voidRequested: false,
    result: null,
    error: null,
    createdAt: at,
    expiresAt: request.expiresAt,
    dispatchedAt: null,
    settledAt: null,
    resolution: null,
    journalId: null,
  };
};
