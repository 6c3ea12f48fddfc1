import * as z from 'zod/mini';
import { ACCOUNT_PATTERN, IDENTIFIER_PATTERN, LIMITS } from './limits.ts';

/** `ephemeral`: audited, at most once, never re-delivered. `exactly-once`: journaled on both sides. */
export type CommandClass = 'ephemeral' | 'exactly-once';

const target = z.string().check(z.regex(IDENTIFIER_PATTERN));
const reason = z.string().check(z.minLength(1), z.maxLength(LIMITS.reasonLength));

type Fields = Record<string, unknown>;

/**
 * The commands the protocol knows: parameters, result, delivery class and time to live; `fits` tells a result that
 * cannot be one of these parameters. One entry per command.
 */
export const COMMANDS = {
  kick: {
    version: 1,
    class: 'ephemeral' as CommandClass,
    ttlMs: 10_000,
    params: z.object({ target, reason }),
    result: z.looseObject({ kicked: z.literal(true) }),
    fits: (_params: Fields, _result: Fields): boolean => true,
  },
  money: {
    version: 1,
    class: 'exactly-once' as CommandClass,
    ttlMs: 30_000,
    params: z.object({
      target,
      type: z.string().check(z.regex(ACCOUNT_PATTERN)),
      amount: z.int().check(z.positive()),
      action: z.enum(['add', 'remove']),
      allowNegative: z.boolean(),
      reason: z.optional(reason),
    }),
    result: z.looseObject({ account: z.string(), before: z.int(), after: z.int() }),
    fits: (params: Fields, result: Fields): boolean => result['account'] === params['type'],
  },
} as const;

export type CommandName = keyof typeof COMMANDS;
export type CommandParams<N extends CommandName> = z.infer<(typeof COMMANDS)[N]['params']>;
export type CommandResult<N extends CommandName> = z.infer<(typeof COMMANDS)[N]['result']>;

/** Whether `name` is a command of the catalogue. */
export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** How a bridge declares a command in `hello.commands`: `money@1`. */
export const commandTag = (name: CommandName): string => `${name}@${COMMANDS[name].version}`;
