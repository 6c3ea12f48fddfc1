import { type Asking, readAsking } from '../../db/queries/commands/asks.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Store } from '../../db/store.ts';
import type { Router } from '../cluster/router.ts';
import { wireIdOf } from './command.ts';
import type { ResultMessage, StoredOutcome } from './outcome.ts';

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
