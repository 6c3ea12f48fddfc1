import {
  type BridgeMessage,
  COMMAND_ERROR_CODES,
  COMMANDS,
  isCommandName,
  isCustomName,
  LIMITS,
  type MessageOf,
  playerParamOf,
} from '../../bridge-protocol/index.ts';
import type { Asking } from '../../db/queries/commands/ends.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { StoredError } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import { isExactlyOnce } from './catalogue.ts';

/**
 * The id of a command at its bridge. Each round of a command that may wait has one of its own. An undo has one for ever: a
 * restored hub may make it again in another way than before, alone or in a batch. It is sent in one round only.
 */
export const wireIdOf = ({ id, round, undoes }: Pick<CommandRow, 'id' | 'round' | 'undoes'>): string =>
  round === null || undoes !== null ? id : `${id}.${round}`;

/** Rounds of before a restore that a bridge is asked about. */
const LOOKED_AT = [1, 2, 3];
const NONE: readonly string[] = [];

/**
 * The ids by which a bridge may know a command, too: its key may have come with another `deliver` before a restore, and been
 * forgotten since. Shops and batches keep theirs, and an undo has one id.
 */
export const formerIdsOf = (row: CommandRow): readonly string[] => {
  const { id, round, idempotencyKey: key, batchId, undoes, createdAt, restoredAt } = row;
  if (restoredAt === null || createdAt < restoredAt || batchId !== null || undoes !== null) return NONE;
  if (key?.startsWith('shop/') === true || (round ?? 1) > 1) return NONE;
  return round === null ? LOOKED_AT.map((nth) => `${id}.${nth}`) : [id];
};

/**
 * The parameters in the frame: the player's own identifier, the protocol's word for `deduct`, and at most 512 UTF-16
 * units of the reason. REST counts characters, and 512 characters can have more units.
 */
export const wireParams = ({ name, target, params: sent, roles }: CommandRow): CommandRow['params'] => {
  const whom = playerParamOf(roles);
  const params = target === null || sent[whom] === target ? sent : { ...sent, [whom]: target };
  if (!isCommandName(name)) return params;
  const { reason, action } = params;
  const isLong = typeof reason === 'string' && reason.length > LIMITS.reasonLength;
  if (!isLong && action !== 'deduct') return params;
  return {
    ...params,
    ...(action === 'deduct' && { action: 'remove' }),
    // Never between the halves of a surrogate pair.
    ...(isLong && { reason: reason.slice(0, LIMITS.reasonLength).replace(/[\ud800-\udbff]$/, '') }),
  };
};

/** The command and the round that a bridge means. */
export const readWireId = (wireId: string): Pick<CommandRow, 'id' | 'round'> => {
  const dot = wireId.indexOf('.');
  return dot < 0 ? { id: wireId, round: null } : { id: wireId.slice(0, dot), round: Number(wireId.slice(dot + 1)) };
};

export type ResultMessage = MessageOf<BridgeMessage, 'result'>;

/** The outcome as the row stores it. */
export type StoredOutcome = Pick<CommandRow, 'status' | 'result' | 'error'>;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');
/** Room for the names of the promised fields and `omitted`. */
const NAMES_BYTES = 256;

/** The data of a bridge as the hub stores it. Over the limit, only the promised fields that fit are stored. */
const kept = (data: Record<string, unknown>, promised: readonly string[]): Record<string, unknown> => {
  if (bytesOf(data) <= LIMITS.customDataBytes) return data;
  const cut: Record<string, unknown> = { omitted: true };
  let left = LIMITS.customDataBytes - NAMES_BYTES;
  for (const name of promised) {
    if (!Object.hasOwn(data, name)) continue;
    const bytes = bytesOf(data[name]);
    if (bytes > left) continue;
    cut[name] = data[name];
    left -= bytes;
  }
  return cut;
};

const promisedBy = (name: string): string[] => (isCommandName(name) ? Object.keys(COMMANDS[name].result.shape) : []);
/** Fields of error details that the hub uses in its answers. */
const PROMISED_DETAILS = ['balance', 'fits', 'count', 'pointer', 'detail', 'accounts'];

/** The command ran, but its effect is unknown: staff see what the bridge reported. */
const indeterminate = (message: string, reported: Record<string, unknown>): StoredOutcome => ({
  status: 'indeterminate',
  result: null,
  error: { code: 'bridge_error', message, details: { reported } },
});

const knownCodes: ReadonlySet<string> = new Set(COMMAND_ERROR_CODES);

const errorOf = ({ error }: ResultMessage): NonNullable<StoredOutcome['error']> => {
  if (error === undefined) return { code: 'internal_error', message: 'The bridge gave no reason.' };
  const code = knownCodes.has(error.code) ? error.code : 'internal_error';
  // After an `ack` a bridge need not keep the message.
  const given = error.message === '' ? 'The bridge has kept only this code.' : error.message;
  const message = code === error.code ? given : `${error.code}: ${given}`;
  return error.details === undefined
    ? { code, message }
    : { code, message, details: kept(error.details, PROMISED_DETAILS) };
};

const NOT_PROMISED = 'The bridge reported done, but its data does not have the form that this command returns.';
const NOT_ORDERED = 'The bridge reported done, but its numbers do not fit the request.';

/**
 * Turns a bridge's result into the outcome to store. A `done` is indeterminate if its data does not have the form that
 * the command promises, or if its numbers do not fit the request.
 */
export const readOutcome = (
  { name, params }: Pick<CommandRow, 'name' | 'params'>,
  message: ResultMessage,
): StoredOutcome => {
  switch (message.status) {
    case 'done': {
      // The bridge drops the data of a result once a hub has acknowledged it; a hub that lost it asks again. Of an action
      // without a journal, the data say who has confirmed it.
      if (message.data === undefined) {
        return name === 'kick' || isExactlyOnce(name)
          ? { status: 'succeeded', result: null, error: null }
          : indeterminate(NOT_PROMISED, {});
      }
      const reported = message.data;
      if (isCustomName(name)) return { status: 'succeeded', result: kept(reported, []), error: null };
      const command = isCommandName(name) ? COMMANDS[name] : undefined;
      const parsed = command?.result.safeParse(reported);
      if (command === undefined || parsed?.success !== true)
        return indeterminate(NOT_PROMISED, kept(reported, promisedBy(name)));
      if (!command.fits(params, parsed.data)) return indeterminate(NOT_ORDERED, kept(reported, promisedBy(name)));
      return { status: 'succeeded', result: kept(parsed.data, promisedBy(name)), error: null };
    }
    case 'voided':
      return {
        status: 'voided',
        result: null,
        error: { code: 'voided', message: 'The command was taken back.' },
      };
    case 'failed':
    case 'rejected':
      return { status: message.status, result: null, error: errorOf(message) };
    case 'indeterminate':
      return {
        status: 'indeterminate',
        result: null,
        error: { ...errorOf(message), code: 'indeterminate' },
      };
  }
};

/** Nothing was done under this former id; the same id with another body is an answer. */
export const isUnknownThere = ({ status, error }: StoredOutcome): boolean =>
  status !== 'succeeded' && status !== 'indeterminate' && error?.code !== 'fingerprint_mismatch';

/** After this many voided rounds in succession, the bridge knows of no effect. */
const VOIDED_TO_END = 3;
/** The round was running when the game server crashed, and the bridge knows that its effect was rolled back. */
export const isCrashed = ({ status, error }: StoredOutcome): boolean =>
  status === 'failed' && error?.code === 'server_restarting';

/** The bridge says for certain that the round had no effect, for a reason that passes. A command that was taken back ends. */
export const isWorthAnotherRound = (deliver: CommandRow['deliver'], outcome: StoredOutcome): boolean => {
  const { status, error } = outcome;
  if (deliver === 'now') return false;
  if (status === 'voided' || isCrashed(outcome)) return true;
  return (
    status === 'rejected' &&
    (error?.code === 'server_restarting' || (error?.code === 'player_offline' && deliver === 'when_online'))
  );
};

/** A bridge may have dropped the code of a refusal after its `ack`: then a hub knew this outcome before. */
export const isWithoutCode = ({ status, error }: ResultMessage): boolean =>
  (status === 'rejected' || status === 'failed') && error === undefined;

/**
 * The next question after a round without an effect; undefined: the command ends as `asking` says. After a restore, the
 * hub does not know how many rounds there were. A bridge answers an unknown round as voided, and so it answers one that
 * was voided in its time.
 */
export const askedNext = (asking: Asking, { status }: StoredOutcome): Asking | undefined => {
  const voided = status === 'voided' ? asking.voided + 1 : 0;
  return voided < VOIDED_TO_END ? { ...asking, voided } : undefined;
};

/** Whether a result belongs to a round that has ended: the command waits, or has left again. */
export const isOfEarlierRound = ({ round: current, status, undoes }: CommandRow, round: number | null): boolean =>
  (undoes === null && current !== round) || status === 'waiting' || status === 'accepted';

/*
 * The balance that the hub knew when it lost sight of a payment, so that a person can compare it with the balance of now. It
 * is stored with the reason why the outcome is unknown, so a payment that succeeds needs none of it.
 */

/** A balance and when the game server reported it (epoch milliseconds). */
type KnownBalance = { account: string; balance: number; at: number };

const NAME = 'knownBalance';

const isMoney = ({ name, target }: CommandRow): boolean => name === 'money' && target !== null;

const lookUp = async (
  { players }: Pick<Store, 'players'>,
  { projectId, serverId, target, params }: CommandRow,
): Promise<KnownBalance | undefined> => {
  const identifier = target ?? '';
  const player = (await players.find({ projectId, serverId, identifier }))?.player;
  const account = String(params['type']);
  if (player?.identifier !== identifier || !Object.hasOwn(player.accounts, account)) return undefined;
  const balance = player.accounts[account];
  return balance === undefined ? undefined : { account, balance, at: player.syncedAt };
};

/** The reason why the outcome of a command is unknown, with the balance that the hub knows now if it is a payment. */
export const withKnownBalance = async (
  store: Pick<Store, 'players'>,
  row: CommandRow,
  error: StoredError,
): Promise<StoredError> => {
  if (!isMoney(row)) return error;
  // The command ends as unknown, whatever else cannot be read now.
  const known = await lookUp(store, row).catch(() => undefined);
  // A game server does not write this field.
  const { [NAME]: _, ...details } = error.details ?? {};
  if (known === undefined && error.details === undefined) return error;
  return { ...error, details: known === undefined ? details : { ...details, [NAME]: known } };
};

/** The error of a row and, apart from it, the balance that was stored with it. */
export const readKnownBalance = (row: CommandRow): { error: StoredError | null; known: KnownBalance | undefined } => {
  const { error, status } = row;
  const known = error?.details?.[NAME] as KnownBalance | undefined;
  const isUnknown = status === 'indeterminate' || status === 'resolved_applied' || status === 'resolved_not_applied';
  if (error === null || known === undefined || !isUnknown || !isMoney(row)) return { error, known: undefined };
  const { details: { [NAME]: _, ...details } = {}, ...rest } = error;
  return { error: Object.keys(details).length === 0 ? rest : { ...rest, details }, known };
};
