import * as z from 'zod/mini';
import { ACCOUNT_PATTERN, CUSTOM_NAME_PATTERN, IDENTIFIER_PATTERN, LIMITS } from './limits.ts';
import { metadata, text } from './player.ts';

/** `ephemeral`: audited, at most once, never re-delivered. `exactly-once`: journaled on both sides. */
export type CommandClass = 'ephemeral' | 'exactly-once';

const target = z.string().check(z.regex(IDENTIFIER_PATTERN));
const reason = z.string().check(z.minLength(1), z.maxLength(LIMITS.reasonLength));

/** The command that a handler carries out. */
export type CommandContext = { id: string; fingerprint: string };

type Fields = Record<string, unknown>;

/**
 * Whether the balance moved by the requested amount, or by the amount that the game reports. Exact for whole numbers.
 */
const isMovedAsAsked = ({ action, amount }: Fields, { before, after, applied = amount }: Fields): boolean =>
  Number(after) - Number(before) === (action === 'add' ? Number(applied) : -Number(applied));

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
    result: z.looseObject({
      account: z.string(),
      before: z.int(),
      after: z.int(),
      /** How much the game moved, where it rounds or taxes on purpose. */
      applied: z.optional(z.int().check(z.nonnegative())),
    }),
    fits: (params: Fields, result: Fields): boolean =>
      result['account'] === params['type'] && isMovedAsAsked(params, result),
  },
} as const;

export type CommandName = keyof typeof COMMANDS;
export type CommandParams<N extends CommandName> = z.infer<(typeof COMMANDS)[N]['params']>;
export type CommandResult<N extends CommandName> = z.infer<(typeof COMMANDS)[N]['result']>;

/** The built-in commands, in the order of the documentation. */
export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

/** Whether `name` is a command of the catalogue. */
export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** A command that resources of the game server add to those of the catalogue. `params` is a JSON Schema. */
export const customCommand = z.object({
  name: z.string().check(z.regex(CUSTOM_NAME_PATTERN)),
  description: z._default(text(LIMITS.customDescriptionLength), ''),
  params: metadata,
});

const CUSTOM = 'custom:';
/** Custom commands are journaled as money is; how long one may be sent, milliseconds. */
export const CUSTOM_TTL_MS = 30_000;
/** The name of a custom command in frames and journals: `custom:revive`. No command of the catalogue has one like it. */
export type CustomName = `custom:${string}`;
export const customName = (name: string): CustomName => `${CUSTOM}${name}`;
export const isCustomName = (name: string): name is CustomName => name.startsWith(CUSTOM);
/** The name by which the game server knows it: `revive`. */
export const nameOfCustom = (name: CustomName): string => name.slice(CUSTOM.length);

/** The player a custom command acts on: its parameter `target`, where that is an identifier. */
export const targetOfCustom = ({ target }: Fields): string | undefined =>
  typeof target === 'string' && IDENTIFIER_PATTERN.test(target) ? target : undefined;

/**
 * The key of a command's order. Commands with the same key run first in, first out; others do not wait for them. The
 * key is the player; without one, the command's name. Ephemeral commands have keys of their own.
 */
export const orderKey = (name: string, target: string | null | undefined): string => {
  const isUrgent = isCommandName(name) && COMMANDS[name].class === 'ephemeral';
  return `${isUrgent || target == null ? name : ''}/${target ?? ''}`;
};

/** How a bridge declares a command in `hello.commands`: `money@1`. */
export const commandTag = (name: CommandName): string => `${name}@${COMMANDS[name].version}`;
