import type { CustomCommands } from '../custom/commands.ts';
import type { Fault } from '../custom/values.ts';
import type { Journal, Outcome } from '../journal/journal.ts';
import {
  COMMANDS,
  type CommandContext,
  type CommandName,
  type CommandParams,
  type CustomName,
  commandTag,
  isCommandName,
  isCustomName,
  nameOfCustom,
  orderKey,
  targetOfCustom,
} from '../wire/commands.ts';
import { type JournalClass, journalClass } from '../wire/messages.ts';
import type { BridgeOptions, CommandHandlers } from './options.ts';
import { rejected } from './outcomes.ts';

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
export const createHandlers = (
  handlers: CommandHandlers,
  {
    accounts,
    custom,
    journal,
    classes = {},
  }: Pick<BridgeOptions, 'accounts' | 'classes'> & {
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
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return rejected('invalid_params', `/${issue?.path.join('/') ?? ''}: ${issue?.message ?? 'not valid'}`);
    }
    const { data } = parsed;
    // Of money only, and of every command that has a player.
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
    tags: names.map(commandTag),
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
export type Handlers = ReturnType<typeof createHandlers>;
