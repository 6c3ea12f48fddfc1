import { COMMANDS } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Deliver } from '../../db/schema/commands.ts';
import type { Reached } from '../cluster/router.ts';
import { derivedCommandId, fingerprintOf, newId } from '../platform/ids.ts';
import { isCatalogued, targetOf } from './catalogue.ts';
import type { TargetedWish } from './target.ts';

/** A caller's request for a command. */
export type SubmitRequest = TargetedWish & {
  actor: { keyId: string; name: string };
  requestId: string;
  idempotencyKey: string | undefined;
  /** The caller's word for `remove`: shown in answers, and not told to the bridge. */
  sentAction?: 'deduct';
  /** Where it may wait for its server or its player; undefined: it is sent now or not at all. */
  deliver?: Deliver | undefined;
  /** Epoch milliseconds after which it must not be sent any more. */
  expiresAt: number;
  /** How long the caller waits for the outcome; 0: not at all. */
  waitMs: number;
};

/** The row of a new command. Its parameters are as they were sent; its target is the player. */
export const draftOf = (
  request: SubmitRequest,
  session: Pick<Reached, 'id' | 'epoch'> | undefined,
  at: number,
): CommandRow => {
  const { project, serverId, name, params, idempotencyKey: key, deliver } = request;
  return {
    id: key === undefined ? newId('cmd') : derivedCommandId(project.id, serverId, name, key),
    projectId: project.id,
    serverId,
    name,
    class: isCatalogued(request) ? COMMANDS[request.name].class : 'exactly-once',
    target: request.player ?? targetOf(request) ?? null,
    params: request.sentAction === undefined ? params : { ...params, action: request.sentAction },
    fingerprint: fingerprintOf(serverId, name, params),
    status: deliver === undefined ? 'accepted' : 'waiting',
    idempotencyKey: key ?? null,
    actor: request.actor,
    requestId: request.requestId,
    attempts: 0,
    epoch: session?.epoch ?? null,
    sessionId: session?.id ?? null,
    voidRequested: false,
    result: null,
    error: null,
    createdAt: at,
    expiresAt: request.expiresAt,
    dispatchedAt: null,
    settledAt: null,
    resolution: null,
    journalId: null,
    crashes: null,
    restoredAt: null,
    roles: isCatalogued(request) ? null : (request.roles ?? null),
    deliver: deliver ?? null,
    deliverUntil: deliver === undefined ? null : request.expiresAt,
    round: deliver === undefined ? null : 0,
    batchId: null,
  };
};
