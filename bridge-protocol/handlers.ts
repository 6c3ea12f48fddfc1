import type { CommandContext, CommandHandlers } from './bridge-options.ts';
import { COMMANDS, type CommandName, type CommandParams, commandTag, isCommandName } from './commands.ts';
import type { Outcome } from './journal.ts';
import { rejected } from './outcomes.ts';

/** A command that can be run: its handler with its checked parameters. */
export type Call = {
  name: CommandName;
  target: string;
  params: unknown;
  run: (context: CommandContext) => Outcome | Promise<Outcome>;
};

/** The commands this bridge carries out: what it declares, and how a frame becomes a call or a refusal. */
export const createHandlers = (handlers: CommandHandlers) => {
  const prepare = <N extends CommandName>(name: N, params: unknown): Call | Outcome => {
    const handler = handlers[name];
    if (handler === undefined) return rejected('unsupported', `This bridge does not carry out "${name}".`);
    const parsed = COMMANDS[name].params.safeParse(params);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return rejected('invalid_params', `/${issue?.path.join('/') ?? ''}: ${issue?.message ?? 'not valid'}`);
    }
    // The schema under `name` has just made it; the compiler does not follow an index that is generic.
    const checked = parsed.data as CommandParams<N>;
    const { target } = parsed.data;
    return { name, target, params: checked, run: (context) => handler(checked, context) };
  };

  return {
    tags: Object.keys(handlers)
      .filter(isCommandName)
      .filter((name) => handlers[name] !== undefined)
      .map(commandTag),
    prepare: (name: string, params: unknown): Call | Outcome =>
      isCommandName(name) ? prepare(name, params) : rejected('unsupported', `The command "${name}" is not known.`),
  };
};
export type Handlers = ReturnType<typeof createHandlers>;
