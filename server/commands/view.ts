import { type CommandErrorCode, isCommandName, isCustomName } from '../../bridge-protocol/index.ts';
import type { BatchCounts, BatchRow } from '../../db/queries/commands/batches.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import { type Actor, isSettled } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import type { Principal } from '../auth/credentials.ts';
import { ERRORS, type ErrorCode, type ErrorExtras, type Executed, HubError } from '../platform/errors.ts';
import { isoTime, optionalTime } from '../platform/time.ts';
import { entryOf } from './catalogue.ts';
import { readKnownBalance } from './outcome.ts';

/*
 * Commands and batches as people see them: the answer to a request, and the command that takes an effect back.
 */

const EXECUTED: Record<CommandRow['status'], Executed> = {
  waiting: 'no',
  accepted: 'no',
  dispatched: 'unknown',
  succeeded: 'yes',
  failed: 'no',
  rejected: 'no',
  voided: 'no',
  expired: 'no',
  indeterminate: 'unknown',
  resolved_applied: 'yes',
  resolved_not_applied: 'no',
};

/** Whether a command in this status took effect. */
export const executedOf = (status: CommandRow['status']): Executed => EXECUTED[status];

/** Whether the command of a row took effect. The bridge may have run an open command of a restored backup. */
const executedOfRow = ({ status, restoredAt }: Pick<CommandRow, 'status' | 'restoredAt'>): Executed =>
  restoredAt !== null && !isSettled(status) ? 'unknown' : executedOf(status);

/** A command as a caller sends it, without target and reason. */
export type Opposite = { name: 'money' | 'items' | 'vehicles' | 'job'; params: Record<string, unknown> };

type Fields = Record<string, unknown>;
type Done = Pick<
  CommandRow,
  'name' | 'status' | 'target' | 'params' | 'result' | 'batchId' | 'createdAt' | 'restoredAt' | 'undoes'
>;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const opposed = (action: unknown): 'add' | 'remove' => (action === 'add' ? 'remove' : 'add');

const positive = (moved: number): number | undefined => (Number.isSafeInteger(moved) && moved > 0 ? moved : undefined);

/**
 * The amount that really moved; undefined: none, or it is not known. Bridges forget the result of an acknowledged command,
 * so after a restored backup only the parameters say it. A game that takes taxes may have moved less.
 */
const movedBy = ({ params, result, status }: Done, sent: 'amount' | 'count'): number | undefined => {
  if (result !== null) return positive(Math.abs(Number(result['after']) - Number(result['before'])));
  const isWhole = status === 'succeeded' && params['allowPartial'] !== true;
  return isWhole ? positive(Number(params[sent])) : undefined;
};

const ofVehicle = ({ action }: Fields, result: Fields): Opposite | undefined => {
  const plate = textOf(result['plate']);
  const model = textOf(result['model']);
  if (plate === undefined || model === undefined) return undefined;
  if (action === 'give') return { name: 'vehicles', params: { action: 'take', plate } };
  const { metadata } = result;
  // Without its properties, another vehicle would come back.
  if (action !== 'take' || metadata === undefined) return undefined;
  const garage = textOf(result['garage']);
  return {
    name: 'vehicles',
    params: { action: 'give', model, plate, ...(garage !== undefined && { garage }), metadata },
  };
};

const ofJob = ({ before }: Fields): Opposite | undefined => {
  const former = before as { job?: unknown; grade?: unknown } | undefined;
  const job = textOf(former?.job);
  return job === undefined ? undefined : { name: 'job', params: { job, grade: Number(former?.grade ?? 0) } };
};

/** Whether a command took effect, and the hub has lost what a restored backup does not have: its result. */
export const hasLostResult = ({ status, result }: Pick<Done, 'status' | 'result'>): boolean =>
  status === 'succeeded' && result === null;

/**
 * Whether the command may have taken effect for another player than its row names. The id of a command that was made since a
 * restore may be that of an earlier one, and a linked identifier may have meant another player then. Ids of batches come
 * from the player.
 */
const isPlayerUncertain = ({ target, params, result, batchId, createdAt, restoredAt }: Done): boolean => {
  if (batchId !== null || params['target'] === target) return false;
  return restoredAt === null ? result === null : createdAt >= restoredAt;
};

/**
 * The opposite of a command that took effect, with what was really moved. Undefined: there is none, or it is not known. The
 * opposite of a job is the former one, which is only right while the player has the job that was set.
 */
export const oppositeOf = (command: Done): Opposite | undefined => {
  const { name, status, params, result, undoes } = command;
  if (status !== 'succeeded' && status !== 'resolved_applied') return undefined;
  // An undo is not undone.
  if (undoes !== null || isPlayerUncertain(command)) return undefined;
  switch (name) {
    case 'money': {
      const amount = movedBy(command, 'amount');
      const type = String(result?.['account'] ?? params['type']);
      return amount === undefined ? undefined : { name, params: { type, amount, action: opposed(params['action']) } };
    }
    case 'items': {
      const count = movedBy(command, 'count');
      if (count === undefined) return undefined;
      const { item, metadata } = params;
      return {
        name,
        params: { item, count, action: opposed(params['action']), ...(metadata !== undefined && { metadata }) },
      };
    }
    case 'vehicles':
      return result === null ? undefined : ofVehicle(params, result);
    case 'job':
      return result === null ? undefined : ofJob(result);
    default:
      return undefined;
  }
};

export const CREATED_AGAIN = 'The server was deleted and created again since.';

/** Whether a server was deleted and created again since its command or batch was made: its players may be others. */
export const isOfEarlierServer = async (
  { servers }: Pick<Store, 'servers'>,
  { projectId, serverId, createdAt }: Pick<CommandRow, 'projectId' | 'serverId' | 'createdAt'>,
): Promise<boolean> => ((await servers.get(projectId, serverId))?.createdAt ?? 0) > createdAt;

/** The parameters as callers see them: without a target that is the player, and without parameters at their default. */
export const publicParams = ({ name: command, target, params }: CommandRow): Record<string, unknown> => {
  if (!isCommandName(command)) return params;
  const defaults: Record<string, unknown> = entryOf(command).defaults ?? {};
  const shown: Record<string, unknown> = {};
  for (const name in params) {
    const isUntouched = Object.hasOwn(defaults, name) && params[name] === defaults[name];
    const isPlayer = name === 'target' && params[name] === target;
    if (!isPlayer && !isUntouched) shown[name] = params[name];
  }
  return shown;
};

export type WaitingFor = 'server' | 'player' | undefined;

const knownBalanceOf = (row: CommandRow) => {
  const { known } = readKnownBalance(row);
  return known && { ...known, at: isoTime(known.at) };
};

/** What callers see of a command beside its row. `isFinal`: nothing takes its effect back any more. */
type Beside = {
  targetName?: string | undefined;
  waitingFor?: WaitingFor;
  /** The last command that was to undo it, and whether it did. */
  undoneBy?: { id: string; status: CommandRow['status']; executed: Executed } | undefined;
  isFinal?: boolean;
  /** Of a shop's command: who of the staff gave it. */
  decidedBy?: Actor | undefined;
};

/** A command as callers see it. */
export const viewOf = (
  row: CommandRow,
  { targetName, waitingFor, undoneBy, isFinal = false, decidedBy }: Beside = {},
) => ({
  id: row.id,
  name: row.name,
  serverId: row.serverId,
  target: row.target,
  targetName,
  status: row.status,
  executed: executedOfRow(row),
  waitingFor,
  deliver: row.deliver === 'now' ? undefined : (row.deliver ?? undefined),
  params: publicParams(row),
  roles: row.roles ?? undefined,
  result: row.result,
  // A command that the hub asks about keeps the question there.
  error: (isSettled(row.status) && readKnownBalance(row).error) || undefined,
  knownBalance: knownBalanceOf(row),
  opposite: isFinal ? undefined : oppositeOf(row),
  undoneBy,
  undoes: row.undoes ?? undefined,
  repeats: row.repeats ?? undefined,
  actor: row.actor,
  decidedBy,
  requestId: row.requestId,
  batchId: row.batchId ?? undefined,
  attempts: row.attempts,
  createdAt: isoTime(row.createdAt),
  expiresAt: isoTime(row.expiresAt),
  dispatchedAt: optionalTime(row.dispatchedAt),
  settledAt: optionalTime(row.settledAt),
  resolution: row.resolution === null ? undefined : { ...row.resolution, at: isoTime(row.resolution.at) },
});

/** A batch as callers see it; `counts`: its commands by status. `undoneBy`: the batch that undoes it. */
export const batchView = (
  row: BatchRow,
  counts: BatchCounts,
  about: { undoneBy?: Pick<BatchRow, 'id' | 'status'> | undefined; undoes?: string | undefined } = {},
) => ({
  id: row.id,
  serverId: row.serverId,
  name: row.name,
  params: row.params,
  label: row.label,
  deliver: row.deliver,
  status: row.status,
  endedBy: row.endedBy,
  total: row.total,
  duplicates: row.duplicates,
  counts,
  ...about,
  actor: row.actor,
  requestId: row.requestId,
  createdAt: isoTime(row.createdAt),
  expiresAt: isoTime(row.expiresAt),
  settledAt: optionalTime(row.settledAt),
});

export type TargetName = (row: CommandRow) => string | undefined;

/**
 * The current names of the players that commands were for, for keys that may read players. A deleted player has no
 * name. Takes at most a page of rows.
 */
export const targetNames = async (
  { store }: { store: Pick<Store, 'players'> },
  { project, scopes }: Principal,
  rows: readonly CommandRow[],
): Promise<TargetName> => {
  if (!scopes.has('players:read')) return () => undefined;
  const targets = new Set(rows.flatMap(({ target }) => target ?? []));
  const found = await store.players.names(project.id, [...targets]);
  const names = new Map(found.map(({ serverId, identifier, name }) => [`${serverId} ${identifier}`, name]));
  return ({ serverId, target }) => names.get(`${serverId} ${target}`);
};

/** Tells of each of these commands, at most a page, the last try to undo it, and whether there can be none any more. */
export const undoingOf = async (
  { store }: { store: Pick<Store, 'commands' | 'servers'> },
  { project }: Principal,
  rows: readonly CommandRow[],
): Promise<(row: CommandRow) => Pick<Beside, 'undoneBy' | 'isFinal'>> => {
  const done = rows.filter(({ status }) => executedOf(status) === 'yes');
  const ids = done.map(({ id }) => id);
  const tries = done.length === 0 ? [] : await store.commands.undoing(project.id, ids);
  const last = new Map(
    tries.map(({ undoes, id, ...row }) => [undoes, { id, status: row.status, executed: executedOfRow(row) }]),
  );
  const made = new Map<string, number>();
  for (const { serverId } of done) {
    if (!made.has(serverId)) made.set(serverId, (await store.servers.get(project.id, serverId))?.createdAt ?? 0);
  }
  return ({ id, serverId, createdAt }) => ({
    undoneBy: last.get(id),
    isFinal: (made.get(serverId) ?? 0) > createdAt,
  });
};

/** The staff who decided the gifts of shops among these commands. A line forgets a gift that was taken back. */
export const decidersOf = async (
  { shopLines }: Pick<Store, 'shopLines'>,
  rows: readonly CommandRow[],
): Promise<(row: CommandRow) => Actor | undefined> => {
  const ids = rows.filter(({ actor }) => actor.keyId.startsWith('int_')).map(({ id }) => id);
  const lines = ids.length === 0 ? [] : await shopLines.withCommands(ids);
  const deciders = new Map(
    lines.map(({ commandId, decision }) => [commandId, decision?.is === 'given' ? decision.by : undefined]),
  );
  return ({ id }) => deciders.get(id);
};

/**
 * Codes a stored outcome may carry, as the code the caller gets: those of the protocol, of which one without a line does not
 * compile, and those that the hub itself stores.
 */
export const PUBLIC_CODES = {
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
} satisfies Record<CommandErrorCode, ErrorCode> & Record<string, ErrorCode>;

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
  // The remedy of invalid_request speaks of `errors`, which a game server does not send.
  const remedy = code === 'invalid_request' ? '' : ERRORS[code].remedy;
  const detail = `${row.error?.message ?? ''} ${remedy}`.trim();
  return new HubError(code, detail, extrasOf(row, code));
};

const codeOfPending = ({ status }: CommandRow): 'accepted' | 'waiting' | 'in_doubt' =>
  status === 'accepted' || status === 'waiting' ? status : 'in_doubt';

/** A command that has not ended, as callers see it. */
export const pendingOf = (row: CommandRow, waitingFor: WaitingFor) => ({
  ...viewOf(row, { waitingFor }),
  code: codeOfPending(row),
  retryable: false,
  command: { id: row.id, status: row.status },
});
export const locationOf = (row: CommandRow): string => `/api/v2/commands/${row.id}`;

const JSON_TYPE = { 'Content-Type': 'application/json' };

const pendingAnswer = (row: CommandRow, waitingFor: WaitingFor) => ({
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
) => {
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
