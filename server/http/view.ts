import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type CommandErrorCode, isCommandName, isCustomName } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Principal } from '../auth/credentials.ts';
import { entryOf } from '../commands/catalogue.ts';
import { executedOfRow, oppositeOf } from '../commands/view.ts';
import { ERRORS, type ErrorCode, type ErrorExtras, HubError } from '../platform/errors.ts';
import { isoTime } from '../platform/time.ts';
import type { Answer } from './answer.ts';
import type { RestDeps, RestEnv } from './request.ts';
import { actor, commandStatus, executed, instant } from './schemas.ts';

export const rolesSchema = z
  .object({
    amount: z.string().optional().openapi({ description: 'Money; if there is an item, a count of it.' }),
    item: z.string().optional(),
    player: z.string().optional().openapi({ description: 'The target; without it, the parameter target.' }),
    reason: z.string().optional(),
    reasonRequired: z.boolean().optional().openapi({ description: 'The command is refused without a reason.' }),
  })
  .openapi('CustomRoles', {
    description: 'What parameters of a custom command mean: the name of the parameter for each role.',
    example: { player: 'target', item: 'item', amount: 'count', reason: 'note', reasonRequired: true },
  });

export const commandSchema = z
  .object({
    id: z.string().openapi({ example: 'cmd_01j9z3k7v8' }),
    name: z.string(),
    serverId: z.string(),
    target: z.string().nullable(),
    targetName: z.string().optional().openapi({
      description:
        'In the journal, for keys with players:read: the current name of the player; absent: no such player.',
    }),
    status: commandStatus,
    executed,
    waitingFor: z.enum(['server', 'player']).optional().openapi({ description: 'While it waits: the first obstacle.' }),
    params: z.record(z.string(), z.unknown()),
    roles: rolesSchema.optional(),
    result: z.record(z.string(), z.unknown()).nullable().openapi({
      description:
        'Of money: account, before and after; of items: item, before and after. applied is how much was moved, if not all.',
    }),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        details: z.record(z.string(), z.unknown()).optional().openapi({
          description: 'reported is the data of a result that does not fit the order.',
        }),
      })
      .optional(),
    opposite: z
      .object({ name: z.enum(['money', 'items', 'vehicles', 'job']), params: z.record(z.string(), z.unknown()) })
      .optional()
      .openapi({
        description: 'A command that takes the effect back, without target and reason; absent: there is none.',
      }),
    actor,
    requestId: z.string(),
    batchId: z.string().optional().openapi({ description: 'The batch that made this command; absent: none.' }),
    attempts: z.int(),
    createdAt: instant,
    expiresAt: instant,
    dispatchedAt: instant.nullable(),
    settledAt: instant.nullable(),
    resolution: z
      .object({ applied: z.boolean(), note: z.string(), actor, at: instant })
      .optional()
      .openapi({ description: 'How an operator resolved an indeterminate command.' }),
  })
  .openapi('Command');

/** An answer about a command that has not ended: `accepted`, `waiting` or `in_doubt`. */
export const pendingSchema = commandSchema
  .extend({
    code: z.enum(['accepted', 'waiting', 'in_doubt']),
    retryable: z.boolean(),
    command: z.object({ id: z.string(), status: commandStatus }),
  })
  .openapi('PendingCommand');

const optionalTime = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** The parameters as callers see them: without a target that is the player, and without parameters at their default. */
export const publicParams = ({ name: command, target, params }: CommandRow): Record<string, unknown> => {
  if (!isCommandName(command)) return params;
  const defaults: Record<string, unknown> = entryOf(command).defaults;
  const shown: Record<string, unknown> = {};
  for (const name in params) {
    const isUntouched = Object.hasOwn(defaults, name) && params[name] === defaults[name];
    const isPlayer = name === 'target' && params[name] === target;
    if (!isPlayer && !isUntouched) shown[name] = params[name];
  }
  return shown;
};

export type WaitingFor = 'server' | 'player' | undefined;

export const viewOf = (
  row: CommandRow,
  targetName?: string,
  waitingFor?: WaitingFor,
): z.infer<typeof commandSchema> => ({
  id: row.id,
  name: row.name,
  serverId: row.serverId,
  target: row.target,
  targetName,
  status: row.status,
  executed: executedOfRow(row),
  waitingFor,
  params: publicParams(row),
  roles: row.roles ?? undefined,
  result: row.result,
  // A command that the hub asks about keeps the question there.
  error: (isSettled(row.status) && row.error) || undefined,
  opposite: oppositeOf(row),
  actor: row.actor,
  requestId: row.requestId,
  batchId: row.batchId ?? undefined,
  attempts: row.attempts,
  createdAt: isoTime(row.createdAt),
  expiresAt: isoTime(row.expiresAt),
  dispatchedAt: optionalTime(row.dispatchedAt),
  settledAt: optionalTime(row.settledAt),
  resolution: row.resolution === null ? undefined : { ...row.resolution, at: isoTime(row.resolution.at) },
});

export type TargetName = (row: CommandRow) => string | undefined;

/**
 * The current names of the players that commands were for, for keys that may read players. A deleted player has no
 * name. Takes at most a page of rows.
 */
export const targetNames = async (
  { store }: Pick<RestDeps, 'store'>,
  { project, scopes }: Principal,
  rows: readonly CommandRow[],
): Promise<TargetName> => {
  if (!scopes.has('players:read')) return () => undefined;
  const targets = new Set(rows.flatMap(({ target }) => target ?? []));
  const found = await store.players.names(project.id, [...targets]);
  const names = new Map(found.map(({ serverId, identifier, name }) => [`${serverId} ${identifier}`, name]));
  return ({ serverId, target }) => names.get(`${serverId} ${target}`);
};

/** Codes that the hub itself stores with an outcome. */
type HubCode = 'bridge_offline' | 'bridge_busy' | 'bridge_error' | 'routing_unavailable' | 'voided' | 'indeterminate';
/** Codes a stored outcome may carry, as the code the caller gets. A code of the protocol without a line does not compile. */
export const PUBLIC_CODES: Record<CommandErrorCode | HubCode, ErrorCode> = {
  player_not_found: 'player_not_found',
  player_offline: 'player_offline',
  insufficient_funds: 'insufficient_funds',
  unknown_account: 'invalid_request',
  unknown_item: 'unknown_item',
  inventory_full: 'inventory_full',
  too_heavy: 'too_heavy',
  not_enough_items: 'not_enough_items',
  inventory_locked: 'inventory_locked',
  unknown_model: 'unknown_model',
  plate_taken: 'plate_taken',
  vehicle_not_found: 'vehicle_not_found',
  vehicle_out: 'vehicle_out',
  unknown_job: 'unknown_job',
  unknown_grade: 'unknown_grade',
  invalid_params: 'invalid_request',
  refused: 'refused',
  unsupported: 'unsupported',
  server_restarting: 'server_restarting',
  journal_unavailable: 'journal_required',
  fingerprint_mismatch: 'idempotency_mismatch',
  internal_error: 'bridge_error',
  bridge_error: 'bridge_error',
  bridge_offline: 'bridge_offline',
  bridge_busy: 'bridge_busy',
  routing_unavailable: 'routing_unavailable',
  voided: 'voided',
  indeterminate: 'indeterminate',
};

const isKnown = (code: string): code is keyof typeof PUBLIC_CODES => Object.hasOwn(PUBLIC_CODES, code);

const codeOf = (row: CommandRow): ErrorCode => {
  if (row.status === 'expired') return 'expired';
  if (row.status === 'resolved_not_applied') return 'voided';
  if (row.status === 'voided' && row.error === null) return 'voided';
  // The resource stopped after the hub's check.
  if (row.error?.code === 'unsupported' && isCustomName(row.name)) return 'action_not_found';
  const code = row.error?.code ?? '';
  return isKnown(code) ? PUBLIC_CODES[code] : 'bridge_error';
};

/** Numbers of error details that are fields of the answer. */
const NUMBERS = ['balance', 'fits', 'count'] as const;
const numbersOf = (details: Record<string, unknown>): Pick<ErrorExtras, (typeof NUMBERS)[number]> =>
  Object.fromEntries(NUMBERS.map((name) => [name, details[name]]).filter(([, value]) => typeof value === 'number'));

const extrasOf = (row: CommandRow, code: ErrorCode): ErrorExtras => {
  const details = row.error?.details ?? {};
  const accounts = details['accounts'];
  const list = Array.isArray(accounts)
    ? `: it has ${accounts
        .filter((name) => typeof name === 'string')
        .slice(0, 64)
        .join(', ')}`
    : '';
  return {
    executed: executedOfRow(row),
    command: { id: row.id, status: row.status },
    ...(ERRORS[code].status === 503 ? { retryAfterS: 5 } : {}),
    ...numbersOf(details),
    ...(row.error?.code === 'unknown_account'
      ? { errors: [{ pointer: '/type', detail: `this player has no such account${list}` }] }
      : {}),
    ...(row.error?.code === 'invalid_params' && typeof details['pointer'] === 'string'
      ? { errors: [{ pointer: details['pointer'], detail: String(details['detail']) }] }
      : {}),
  };
};

const failure = (row: CommandRow): HubError => {
  const code = codeOf(row);
  const detail = row.error === null ? ERRORS[code].remedy : `${row.error.message} ${ERRORS[code].remedy}`;
  return new HubError(code, detail, extrasOf(row, code));
};

const codeOfPending = ({ status }: CommandRow): 'accepted' | 'waiting' | 'in_doubt' =>
  status === 'accepted' || status === 'waiting' ? status : 'in_doubt';

const pendingOf = (row: CommandRow, waitingFor: WaitingFor): z.infer<typeof pendingSchema> => ({
  ...viewOf(row, undefined, waitingFor),
  code: codeOfPending(row),
  retryable: false,
  command: { id: row.id, status: row.status },
});
const locationOf = (row: CommandRow): string => `/api/v2/commands/${row.id}`;

/** The answer to taking a command back: it has ended, or the bridge still has it. */
export const answerState = (c: Context<RestEnv>, row: CommandRow) => {
  if (isSettled(row.status)) return c.json(viewOf(row), 200);
  c.header('Location', locationOf(row));
  return c.json(pendingOf(row, undefined), 202);
};

const JSON_TYPE = { 'Content-Type': 'application/json' };

const pendingAnswer = (row: CommandRow, waitingFor: WaitingFor): Answer => ({
  status: 202,
  headers: { ...JSON_TYPE, Location: locationOf(row) },
  text: JSON.stringify(pendingOf(row, waitingFor)),
});

/**
 * The HTTP answer to a command: its outcome, or that it has none yet.
 * @throws HubError the failure, with the id and status of the command
 */
export const commandAnswer = (
  row: CommandRow,
  { isAsync, isEphemeral, waitingFor }: { isAsync: boolean; isEphemeral: boolean; waitingFor: WaitingFor },
): Answer => {
  if (row.status === 'succeeded' || row.status === 'resolved_applied') {
    return { status: 200, headers: JSON_TYPE, text: JSON.stringify(viewOf(row)) };
  }
  if (isSettled(row.status)) throw failure(row);
  if (row.status === 'accepted' || isAsync || !isEphemeral) return pendingAnswer(row, waitingFor);
  throw new HubError('bridge_timeout', undefined, {
    executed: 'unknown',
    command: { id: row.id, status: row.status },
  });
};

/** Answers a route of the framework with a command that both sides journal. */
export const commandReply = (
  c: Context<RestEnv>,
  row: CommandRow,
  { isAsync, waitingFor }: { isAsync: boolean; waitingFor: WaitingFor },
) => {
  const { status } = commandAnswer(row, { isAsync, isEphemeral: false, waitingFor });
  if (status === 200) return c.json(viewOf(row), 200);
  c.header('Location', locationOf(row));
  return c.json(pendingOf(row, waitingFor), 202);
};
