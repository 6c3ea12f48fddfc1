import type { Logger } from 'pino';
import {
  type BridgeMessage,
  COMMAND_ERROR_CODES,
  COMMANDS,
  isCommandName,
  isCustomName,
  LIMITS,
  type MessageOf,
} from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import type { Bus } from '../cluster/bus.ts';
import type { Executed } from '../platform/errors.ts';
import type { Metrics } from '../platform/metrics.ts';
import { isExactlyOnce } from './catalogue.ts';
import { type LiveCommands, readWireId } from './command.ts';
import { createStrays } from './strays.ts';

export type ResultMessage = MessageOf<BridgeMessage, 'result'>;
type CommandStatus = CommandRow['status'];

/** The outcome as the row stores it. */
export type StoredOutcome = Pick<CommandRow, 'status' | 'result' | 'error'>;

const EXECUTED: Record<CommandStatus, Executed> = {
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
export const executedOf = (status: CommandStatus): Executed => EXECUTED[status];

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');
/** Room for the names of the promised fields and `omitted`. */
const NAMES_BYTES = 256;

/** True if the data certainly fits, by an estimate without JSON: at most 6 bytes per character, 25 per number. */
const isSmall = (data: Record<string, unknown>): boolean => {
  let bytes = 2;
  for (const name in data) {
    const value = data[name];
    if (typeof value === 'object' && value !== null) return false;
    bytes += 6 * name.length + 4 + (typeof value === 'string' ? 6 * value.length : 25);
  }
  return bytes <= LIMITS.customDataBytes;
};

/** The data of a bridge as the hub stores it. Over the limit, only the promised fields that fit are stored. */
const kept = (data: Record<string, unknown>, promised: readonly string[]): Record<string, unknown> => {
  if (isSmall(data) || bytesOf(data) <= LIMITS.customDataBytes) return data;
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
  const message = code === error.code ? error.message : `${error.code}: ${error.message}`;
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

type Known = Pick<CommandRow, 'name' | 'params' | 'round' | 'deliver'> & {
  /** The status in the row; undefined: it is in flight. */
  status?: CommandRow['status'];
  dispatched?: CommandRow | undefined;
  asker?: string | undefined;
};
type Source = {
  readonly projectId: string;
  readonly serverId: string;
  readonly journalId: string;
  readonly lostSince?: number | undefined;
};

/** Whether a result belongs to a round that has ended: the command waits, or has left again. */
const isOfEarlierRound = ({ round: current, status }: Known, round: number | null): boolean =>
  current !== round || status === 'waiting' || status === 'accepted';

/** The bridge says for certain that the round had no effect, for a reason that passes. A command that was taken back ends. */
const isWorthAnotherRound = (deliver: Known['deliver'], { status, error }: StoredOutcome): boolean =>
  deliver !== 'now' &&
  (status === 'voided' ||
    (status === 'rejected' &&
      (error?.code === 'server_restarting' || (error?.code === 'player_offline' && deliver === 'when_online'))));

/**
 * The durable end of a command. The first result settles the row, whichever socket of the server it comes from. It also
 * settles a row that the hub gave up, if it comes from the journal that the command was sent to. Later results change
 * nothing. Results of unknown commands are stored apart.
 */
export const createSettle = ({
  store,
  live,
  bus,
  announce,
  postponed,
  metrics,
  log,
  now,
}: {
  store: Pick<Store, 'commands' | 'strayResults'>;
  live: LiveCommands;
  bus: Pick<Bus, 'tell'>;
  announce: (row: CommandRow) => void;
  /** A command that may wait waits again. */
  postponed: (row: CommandRow) => void;
  metrics: Metrics;
  log: Logger;
  now: () => number;
}) => {
  const keepStray = createStrays({ store, metrics, log, now });

  /** The command, if it is in flight to this server. */
  const flyingTo = ({ projectId, serverId }: Source, id: string): Known | undefined => {
    const command = live.find(id);
    if (command?.place !== 'in flight' || command.projectId !== projectId || command.serverId !== serverId) return;
    const { dispatched, asker } = command;
    if (dispatched === undefined) return undefined;
    const { name, params, round, deliver } = dispatched;
    return { name, params, round, deliver, dispatched, asker };
  };

  /** The command, if it was sent to this server: an unsent command cannot have an outcome. */
  const handedTo = async (source: Source, id: string): Promise<Known | undefined> => {
    const row = await store.commands.get(source.projectId, id);
    if (row?.serverId !== source.serverId || (row.status === 'accepted' && row.round === null)) return undefined;
    const { name, params, round, deliver, status } = row;
    return { name, params, round, deliver, status };
  };

  /** Writes an outcome once. Undefined: the command was settled before. */
  const write = async (
    { projectId, serverId, journalId }: Source,
    id: string,
    { name, dispatched, asker, round, deliver, ...read }: Known,
    outcome: StoredOutcome,
  ) => {
    const { status, result, error } = outcome;
    if (round !== null && isWorthAnotherRound(deliver, outcome)) {
      const back = await store.commands.postpone({ id, round, at: now() });
      if (back !== undefined) {
        postponed(back);
        return undefined;
      }
      // The same answer may have come twice, and another round may be on its way.
      const latest = await store.commands.get(projectId, id);
      if (latest?.round !== round || latest.status !== 'dispatched') return undefined;
    }
    const durable = isExactlyOnce(name);
    const settlement = { projectId, serverId, id, status, result, error, settledAt: now() };
    const isGivenUp = read.status === 'indeterminate';
    if (!isGivenUp && read.status !== undefined && isSettled(read.status)) return undefined;
    const settled = isGivenUp ? undefined : await store.commands.settle(settlement, { durable }, dispatched);
    // The row may have been given up since it was read.
    const row = settled ?? (await store.commands.settleGivenUp({ ...settlement, journalId }, { durable }));
    if (row === undefined) return undefined;
    // First of all, so that the asking node need not read the row.
    if (asker !== undefined) bus.tell(asker, { type: 'settled', row });
    announce(row);
    return row;
  };

  return {
    write,
    /**
     * Settles by a `result` frame. Resolves when the outcome is durable, so the frame may be acknowledged; with the row
     * if this frame settled it.
     */
    settle: async (source: Source, message: ResultMessage): Promise<CommandRow | undefined> => {
      const { id, round } = readWireId(message.id);
      const command = flyingTo(source, id) ?? (await handedTo(source, id));
      const outcome = command && readOutcome(command, message);
      if (command === undefined || outcome === undefined || isOfEarlierRound(command, round)) {
        // A round that had no effect is over: a bridge repeats its answer until it is acknowledged.
        if (outcome === undefined || executedOf(outcome.status) !== 'no') await keepStray(source, message);
        return undefined;
      }
      live.release(id);
      return write(source, id, command, outcome);
    },
  };
};
