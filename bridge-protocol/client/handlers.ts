import type { CustomCommands } from '../custom/commands.ts';
import type { Fault } from '../custom/schema.ts';
import type { Journal, JournalEntry, Outcome } from '../journal/journal.ts';
import { describeIssue, encode, isLongerThan, rereadBridgeMessage } from '../wire/codec.ts';
import {
  COMMANDS,
  type CommandContext,
  type CommandName,
  type CommandParams,
  type CustomName,
  commandTag,
  commandTags,
  isCommandName,
  isCustomName,
  nameOfCustom,
  orderKey,
  targetOfCustom,
  versionFor,
} from '../wire/commands.ts';
import { LIMITS } from '../wire/limits.ts';
import {
  type BridgeMessage,
  type CommandErrorCode,
  type JournalClass,
  journalClass,
  type MessageOf,
  outcomeStatus,
} from '../wire/messages.ts';
import type { BridgeOptions, CommandHandlers } from './options.ts';

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

export const resultMessage = (id: string, outcome: Outcome, sequence?: number): MessageOf<BridgeMessage, 'result'> => ({
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

/** A command that can be run: its handler with its checked parameters. */
export type Call = {
  name: CommandName | CustomName;
  /** The lane that it waits in: see `orderKey`. */
  order: string;
  /** Ephemeral: it needs no journal. */
  urgent: boolean;
  params: unknown;
  run: (context: CommandContext) => Outcome | Promise<Outcome>;
};

const invalid = ({ pointer, detail }: Fault): Outcome => ({
  status: 'rejected',
  error: { code: 'invalid_params', message: `${pointer}: ${detail}`, details: { pointer, detail } },
});

const unknownAccount = (type: string, accounts: readonly string[]): Outcome => ({
  status: 'rejected',
  error: {
    code: 'unknown_account',
    message: `This server has no account "${type}".`,
    details: { accounts: [...accounts] },
  },
});

const CLASSES = journalClass.options;
const weaker = (one: JournalClass, other: JournalClass): JournalClass =>
  CLASSES.indexOf(one) > CLASSES.indexOf(other) ? one : other;

/** The commands of this bridge: its declaration, and the conversion of a frame into a call or a refusal. */
export const handlersOf = (
  handlers: CommandHandlers,
  {
    accounts,
    custom,
    journal,
    classes = {},
    versions = {},
  }: Pick<BridgeOptions, 'accounts' | 'classes' | 'versions'> & {
    custom?: CustomCommands | undefined;
    journal: Pick<Journal, 'class'>;
  },
) => {
  const names = Object.keys(handlers)
    .filter(isCommandName)
    .filter((name) => handlers[name] !== undefined);

  /** The class of a command's effect. No journal covers custom commands, or an entry without a name. */
  const classOf = (name: string): JournalClass =>
    isCommandName(name) ? weaker(journal.class, classes[name] ?? journal.class) : 'volatile';

  const prepare = <N extends CommandName>(name: N, params: unknown): Call | Outcome => {
    const handler = handlers[name];
    if (handler === undefined) return rejected('unsupported', `This bridge does not carry out "${name}".`);
    const parsed = COMMANDS[name].params.safeParse(params);
    if (!parsed.success) return rejected('invalid_params', describeIssue(parsed.error.issues[0]));
    const { data } = parsed;
    const { [name]: version = 1 } = versions;
    if (versionFor(name, data) > version) return rejected('unsupported', `This bridge has ${name}@${version} only.`);
    // Only money has a `type`; every command that names a player has a `target`.
    const { type, target } = data as { type?: string; target?: string };
    if (type !== undefined && !accounts.includes(type)) return unknownAccount(type, accounts);
    // The schema under `name` has just made it; the compiler does not follow an index that is generic.
    const checked = parsed.data as CommandParams<N>;
    const urgent = COMMANDS[name].class === 'ephemeral';
    const order = orderKey(name, target);
    return { name, order, urgent, params: checked, run: (context) => handler(checked, context) };
  };

  const prepareCustom = (name: CustomName, given: unknown): Call | Outcome => {
    const own = nameOfCustom(name);
    const gone = rejected('unsupported', `This server has no custom command "${own}" now.`);
    const read = custom?.handler(own) && custom.check(own, given);
    if (read === undefined) return gone;
    if ('fault' in read) return invalid(read.fault);
    const target = targetOfCustom(read.params, custom?.roles(own));
    return {
      name,
      order: orderKey(name, target),
      urgent: false,
      params: read.params,
      run: (context) => {
        // While the command waited, the resource may have stopped, or come back with another schema.
        const again = custom?.check(own, read.params);
        if (again !== undefined && 'fault' in again) return invalid(again.fault);
        return custom?.handler(own)?.(read.params, { ...context, target }) ?? gone;
      },
    };
  };

  return {
    tags: names.flatMap((name) => commandTags(name, versions[name] ?? 1)),
    classOf,
    /** The classes that are not the journal's, by tag, for `hello`. */
    classes: Object.fromEntries(
      names.filter((name) => classOf(name) !== journal.class).map((name) => [commandTag(name), classOf(name)]),
    ),
    prepare: (name: string, params: unknown): Call | Outcome => {
      if (isCustomName(name)) return prepareCustom(name, params);
      return isCommandName(name)
        ? prepare(name, params)
        : rejected('unsupported', `The command "${name}" is not known.`);
    },
  };
};
export type Handlers = ReturnType<typeof handlersOf>;
