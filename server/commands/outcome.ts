import {
  type BridgeMessage,
  COMMAND_ERROR_CODES,
  COMMANDS,
  isCommandName,
  isCustomName,
  LIMITS,
  type MessageOf,
} from '../../bridge-protocol/index.ts';
import { type Asking, readAsking } from '../../db/queries/commands/ends.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Store } from '../../db/store.ts';
import type { Router } from '../cluster/router.ts';
import { isExactlyOnce } from './catalogue.ts';

/** The id of a command at its bridge. Each round of a command that may wait has one of its own. */
export const wireIdOf = ({ id, round }: Pick<CommandRow, 'id' | 'round'>): string =>
  round === null ? id : `${id}.${round}`;

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

/** After this many voided rounds in succession, the bridge knows of no effect. */
const VOIDED_TO_END = 3;
/** A round that a crash of the game server ended is repeated so often: a command that crashes it must not do so for ever. */
const MAX_CRASHES = 3;

/** The columns that decide what follows a round. */
export type RoundOf = Pick<CommandRow, 'projectId' | 'id' | 'status' | 'error' | 'round' | 'deliver' | 'restoredAt'>;

/** The round was running when the game server crashed, and the bridge knows that its effect was rolled back. */
const isCrashed = ({ status, error }: StoredOutcome): boolean =>
  status === 'failed' && error?.code === 'server_restarting';

/** The bridge says for certain that the round had no effect, for a reason that passes. A command that was taken back ends. */
const isWorthAnotherRound = (deliver: RoundOf['deliver'], outcome: StoredOutcome): boolean => {
  const { status, error } = outcome;
  if (deliver === 'now') return false;
  if (status === 'voided' || isCrashed(outcome)) return true;
  return (
    status === 'rejected' &&
    (error?.code === 'server_restarting' || (error?.code === 'player_offline' && deliver === 'when_online'))
  );
};

/** A bridge may have dropped the code of a refusal after its `ack`: then a hub knew this outcome before. */
const isWithoutCode = ({ status, error }: ResultMessage): boolean =>
  (status === 'rejected' || status === 'failed') && error === undefined;

/**
 * The next question after a round without an effect; undefined: the command ends as `asking` says. After a restore, the
 * hub does not know how many rounds there were. A bridge answers an unknown round as voided, and so it answers one that
 * was voided in its time.
 */
const askedNext = (asking: Asking, { status }: StoredOutcome): Asking | undefined => {
  const voided = status === 'voided' ? asking.voided + 1 : 0;
  return voided < VOIDED_TO_END ? { ...asking, voided } : undefined;
};

/** Decides after each answer of a bridge whether a command ends, waits again, or is asked about. */
export const createRoundEnds = ({
  store,
  router,
  postponed,
  now,
}: {
  store: Pick<Store, 'commands'>;
  router: Pick<Router, 'find'>;
  /** A command that may wait waits again. */
  postponed: (row: CommandRow) => void;
  now: () => number;
}) => {
  /** Asks about the round after this one. After a reconnect, the hub asks again. */
  const askOn = async (id: string, round: number, asking: Asking): Promise<undefined> => {
    const row = await store.commands.askOn(id, round, asking);
    if (row !== undefined) router.find(row.projectId, row.serverId)?.send({ type: 'void', id: wireIdOf(row) });
  };

  /** The command waits again. False: its time is over, it was taken back, or it has crashed too often. */
  const postpone = async (id: string, round: number, outcome: StoredOutcome): Promise<boolean> => {
    const at = now();
    const back = isCrashed(outcome)
      ? await store.commands.postponeCrashed({ id, round, at, most: MAX_CRASHES })
      : await store.commands.postpone({ id, round, at });
    if (back !== undefined) postponed(back);
    return back !== undefined;
  };

  const afterQuestion = (
    { id, round, deliver }: RoundOf,
    asking: Asking,
    outcome: StoredOutcome,
    hasNoCode: boolean,
  ): StoredOutcome | Promise<undefined> => {
    const hadNoEffect = outcome.status === 'voided' || hasNoCode || isWorthAnotherRound(deliver, outcome);
    if (!hadNoEffect) return outcome;
    const next = round === null ? undefined : askedNext(asking, outcome);
    if (round !== null && next !== undefined) return askOn(id, round, next);
    return { status: asking.status, result: null, error: asking.error };
  };

  const afterRound = async (
    { projectId, id, restoredAt }: RoundOf,
    round: number,
    outcome: StoredOutcome,
  ): Promise<StoredOutcome | undefined> => {
    if (await postpone(id, round, outcome)) return undefined;
    // The same answer may have come twice, and another round may be on its way.
    const latest = await store.commands.get(projectId, id);
    if (latest?.round !== round) return undefined;
    // The hub gave it up in this round, and each round before had no effect.
    if (latest.status === 'indeterminate' && restoredAt === null) return outcome;
    if (latest.status !== 'dispatched') return undefined;
    const { status, error } = outcome;
    const next = restoredAt === null ? undefined : askedNext({ status, error, voided: 0 }, outcome);
    return next === undefined ? outcome : askOn(id, round, next);
  };

  /** The outcome to write; undefined: the command waits again, or the hub asks about it. */
  return async (
    command: RoundOf,
    message: ResultMessage,
    outcome: StoredOutcome,
  ): Promise<StoredOutcome | undefined> => {
    const { id, round, deliver } = command;
    const asking = readAsking(command);
    if (asking !== undefined) return afterQuestion(command, asking, outcome, isWithoutCode(message));
    if (round === null || deliver === 'now') return outcome;
    if (isWithoutCode(message) && command.status === 'dispatched') {
      const { status, error } = outcome;
      // The caller may have sent a new key since a hub reported this outcome, so no round may begin.
      return askOn(id, round, { status, error, voided: 0 });
    }
    return isWorthAnotherRound(deliver, outcome) ? afterRound(command, round, outcome) : outcome;
  };
};
