import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Executed } from '../platform/errors.ts';

type CommandStatus = CommandRow['status'];

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

/** The same of a row. The bridge may have carried out an open command of a restored backup. */
export const executedOfRow = ({ status, restoredAt }: Pick<CommandRow, 'status' | 'restoredAt'>): Executed =>
  restoredAt !== null && !isSettled(status) ? 'unknown' : executedOf(status);

/** A command as a caller sends it, without target and reason. */
export type Opposite = { name: 'money' | 'items' | 'vehicles' | 'job'; params: Record<string, unknown> };

type Fields = Record<string, unknown>;
type Done = Pick<
  CommandRow,
  'name' | 'status' | 'target' | 'params' | 'result' | 'batchId' | 'createdAt' | 'restoredAt'
>;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const opposed = (action: unknown): 'add' | 'remove' => (action === 'add' ? 'remove' : 'add');

const positive = (moved: number): number | undefined => (Number.isSafeInteger(moved) && moved > 0 ? moved : undefined);

/**
 * How much was really moved; undefined: nothing, or it is not known. Bridges forget the result of an acknowledged command,
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
  const { name, status, params, result } = command;
  if (status !== 'succeeded' && status !== 'resolved_applied') return undefined;
  if (isPlayerUncertain(command)) return undefined;
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
