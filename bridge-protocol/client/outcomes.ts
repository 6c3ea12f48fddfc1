import type { JournalEntry, Outcome } from '../journal/journal.ts';
import { encode, isLongerThan, rereadBridgeMessage } from '../wire/codec.ts';
import { COMMANDS, type CommandName, type CustomName, isCommandName } from '../wire/commands.ts';
import { LIMITS } from '../wire/limits.ts';
import {
  type BridgeMessage,
  type CommandErrorCode,
  type JournalClass,
  type MessageOf,
  outcomeStatus,
} from '../wire/messages.ts';

type ResultMessage = MessageOf<BridgeMessage, 'result'>;

const LONGEST_ID = 'x'.repeat(64);

export const rejected = (code: CommandErrorCode, message: string): Outcome => ({
  status: 'rejected',
  error: { code, message },
});

export const VOIDED: Outcome = { status: 'voided' };

/**
 * The outcome of a command whose handler neither answered nor settled it: with an `atomic` journal the transaction was
 * rolled back, otherwise the effect is unknown.
 */
export const unfinished = (journalClass: JournalClass, message: string): Outcome => ({
  status: journalClass === 'atomic' ? 'failed' : 'indeterminate',
  error: { code: 'internal_error', message },
});

/** The outcome of a command that an earlier process started. The code lets the hub send one that waited once more. */
export const leftOver = (journalClass: JournalClass): Outcome => {
  const outcome = unfinished(journalClass, 'The bridge stopped while this command was running.');
  if (outcome.status !== 'failed' || outcome.error === undefined) return outcome;
  return { ...outcome, error: { ...outcome.error, code: 'server_restarting' } };
};

export const resultMessage = (id: string, outcome: Outcome, sequence?: number): ResultMessage => ({
  type: 'result',
  id,
  status: outcome.status,
  ...(outcome.data === undefined ? {} : { data: outcome.data }),
  ...(outcome.error === undefined ? {} : { error: outcome.error }),
  ...(sequence === undefined ? {} : { sequence }),
});

/** The outcome as the hub would read it; undefined if the hub would refuse it. */
const asRead = (outcome: Outcome): Outcome | undefined => {
  try {
    const message = rereadBridgeMessage(encode(resultMessage(LONGEST_ID, outcome, Number.MAX_SAFE_INTEGER)));
    if (message.type !== 'result') return undefined;
    const { status, data, error } = message;
    return { status, ...(data === undefined ? {} : { data }), ...(error === undefined ? {} : { error }) };
  } catch {
    return undefined;
  }
};

/**
 * The reported outcome of a settled entry. After an acknowledgement it is the status alone, as for an outcome beyond
 * the limits of the wire (a handler that settles by itself may have written one).
 */
export const outcomeOf = ({ status, outcome }: JournalEntry): Outcome | undefined => {
  if (status === 'started') return undefined;
  return outcome === undefined ? { status } : (asRead(outcome) ?? { status });
};

const promisedData = (name: CommandName | CustomName, data: unknown): Record<string, unknown> => {
  if (!isCommandName(name)) return { omitted: true };
  if (typeof data !== 'object' || data === null) return {};
  const promised = Object.keys(COMMANDS[name].result.shape);
  return Object.fromEntries(Object.entries(data).filter(([key]) => promised.includes(key)));
};

const clip = (value: unknown, length: number): string => String(value).slice(0, length);

/**
 * Fits a handler's answer into the limits of the wire, because the hub would never acknowledge it otherwise: data
 * beyond the command's result are dropped, texts are cut. Undefined when it is not an outcome.
 */
export const boundOutcome = (name: CommandName | CustomName, answer: unknown): Outcome | undefined => {
  if (typeof answer !== 'object' || answer === null || !('status' in answer)) return undefined;
  const status = outcomeStatus.safeParse(answer.status);
  if (!status.success) return undefined;
  const data = 'data' in answer ? answer.data : undefined;
  const error = 'error' in answer ? answer.error : undefined;
  // Unchecked until `asRead` has read it back through the schemas.
  const whole = asRead({ ...answer, status: status.data } as Outcome);
  const isTooMuch = !isCommandName(name) && isLongerThan(JSON.stringify(whole?.data ?? ''), LIMITS.customDataBytes);
  if (whole !== undefined && !isTooMuch) return whole;
  const cut: Outcome = { status: status.data };
  if (data !== undefined) cut.data = promisedData(name, data);
  if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error) {
    cut.error = { code: clip(error.code, 64), message: clip(error.message, 1024) };
  }
  return asRead(cut) ?? { status: status.data };
};
