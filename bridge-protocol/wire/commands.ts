import * as z from 'zod/mini';
import { ACCOUNT_PATTERN, CUSTOM_NAME_PATTERN, IDENTIFIER_PATTERN, LIMITS } from './limits.ts';
import { count, metadata, text } from './player.ts';

/** `ephemeral`: audited, at most once, never re-delivered. `exactly-once`: journaled on both sides. */
export type CommandClass = 'ephemeral' | 'exactly-once';

const target = z.string().check(z.regex(IDENTIFIER_PATTERN));
const reason = z.string().check(z.minLength(1), z.maxLength(LIMITS.reasonLength));

/** The command that a handler carries out. */
export type CommandContext = { id: string; fingerprint: string };

type Fields = Record<string, unknown>;

/** The game's name of an item, a vehicle model, a garage or a job. */
const itemName = text(LIMITS.itemNameLength).check(z.minLength(1));
const message = text(LIMITS.messageLength).check(z.minLength(1));
/** The players that an announcement is for, each once. */
const targets = z.array(target).check(
  z.minLength(1),
  z.maxLength(LIMITS.announceTargets),
  z.refine((all) => new Set(all).size === all.length, 'names a player twice'),
);
const heldJob = z.object({ job: text(LIMITS.itemNameLength), grade: count });
const coordinates = { x: z.number(), y: z.number(), z: z.number() };
/** The witness of the effect. `server`: the bridge read it back. `client`: the player's program reported it; it can lie. */
const confirmedBy = z.enum(['server', 'client']);
const isAnything = (_params: Fields, _result: Fields): boolean => true;

/** Parameters that came with a later version of their command. A bridge of an earlier version reads past them. */
type Since = Readonly<Record<string, number>>;
const NONE: Since = {};

const EPHEMERAL = { class: 'ephemeral' as CommandClass, ttlMs: 10_000, since: NONE };
const EXACTLY_ONCE = { class: 'exactly-once' as CommandClass, ttlMs: 30_000, since: NONE };

/** Both `revive` and `heal` name a player and say who confirmed it. */
const CARE = {
  ...EPHEMERAL,
  params: z.object({ target, reason: z.optional(reason) }),
  result: z.looseObject({ confirmedBy }),
  fits: isAnything,
};

/** Whether a quantity moved by what was asked, or by what the game reports as `applied`. Exact for whole numbers. */
const isMoved = (action: unknown, asked: unknown, { before, after, applied = asked }: Fields): boolean =>
  Number(after) - Number(before) === (action === 'add' ? Number(applied) : -Number(applied));

/** Plates are compared as games show them: capitals, without the spaces that some pad them with. */
const isSamePlate = (one: unknown, other: unknown): boolean =>
  String(one).trim().toUpperCase() === String(other).trim().toUpperCase();

/** Items are applied in part only where the caller allowed it, and never none. */
const isApplied = ({ count, allowPartial }: Fields, { applied = count }: Fields): boolean =>
  applied === count || (allowPartial === true && Number(applied) >= 1 && Number(applied) < Number(count));

/**
 * The commands the protocol knows: parameters, result, delivery class and time to live; `fits` tells a result that
 * cannot be one of these parameters. One entry per command.
 */
export const COMMANDS = {
  kick: {
    ...EPHEMERAL,
    params: z.object({ target, reason }),
    result: z.looseObject({ kicked: z.literal(true) }),
    fits: isAnything,
  },
  money: {
    ...EXACTLY_ONCE,
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
      result['account'] === params['type'] && isMoved(params['action'], params['amount'], result),
  },
  items: {
    ...EXACTLY_ONCE,
    params: z.object({
      target,
      item: itemName,
      count: z.int().check(z.positive(), z.maximum(LIMITS.itemCount)),
      action: z.enum(['add', 'remove']),
      /** Only stacks whose metadata are equal; absent: all stacks of this item. */
      metadata: z.optional(metadata),
      /** True: the bridge moves as many as possible, at least one. False: all or none. */
      allowPartial: z.boolean(),
      reason: z.optional(reason),
    }),
    /** `before` and `after` count the stacks that `metadata` chooses. */
    result: z.looseObject({
      item: z.string(),
      before: count,
      after: count,
      /** How many were moved, if fewer than `count`. */
      applied: z.optional(z.int().check(z.positive())),
    }),
    fits: (params: Fields, result: Fields): boolean =>
      result['item'] === params['item'] &&
      isApplied(params, result) &&
      isMoved(params['action'], params['count'], result),
  },
  vehicles: {
    ...EXACTLY_ONCE,
    params: z
      .object({
        target,
        /** `give` a new one; `take` it for ever; `store` it in a garage. */
        action: z.enum(['give', 'take', 'store']),
        /** `give` only, and needed there. */
        model: z.optional(itemName),
        /** Needed but for `give`, where the game makes one up. */
        plate: z.optional(text(LIMITS.plateLength).check(z.minLength(1))),
        /** Where it stands afterwards; the game chooses one. */
        garage: z.optional(itemName),
        /** `give` only: properties of the new vehicle, as `take` reported them. */
        metadata: z.optional(metadata),
        reason: z.optional(reason),
      })
      .check(
        z.refine(
          ({ action, model }) => (action === 'give') === (model !== undefined),
          'give needs a model, the others none',
        ),
        z.refine(({ action, plate }) => action === 'give' || plate !== undefined, 'take and store need a plate'),
      ),
    result: z.looseObject({
      plate: text(LIMITS.plateLength),
      model: text(LIMITS.itemNameLength),
      garage: z.nullable(text(LIMITS.itemNameLength)),
      /** After `take`: what `give` needs to restore the vehicle. */
      metadata: z.optional(metadata),
    }),
    fits: (params: Fields, result: Fields): boolean =>
      (params['model'] === undefined || result['model'] === params['model']) &&
      (params['plate'] === undefined || isSamePlate(result['plate'], params['plate'])) &&
      (params['garage'] === undefined || params['action'] === 'take' || result['garage'] === params['garage']) &&
      (params['action'] !== 'store' || result['garage'] !== null),
  },
  job: {
    ...EXACTLY_ONCE,
    params: z.object({ target, job: itemName, grade: count, reason: z.optional(reason) }),
    result: z.looseObject({ before: heldJob, after: heldJob }),
    fits: (params: Fields, { after }: Fields): boolean => {
      const held = after as z.infer<typeof heldJob>;
      return held.job === params['job'] && held.grade === params['grade'];
    },
  },
  announce: {
    ...EPHEMERAL,
    /** Without `targets`: for all players. */
    params: z.object({ message, targets: z.optional(targets) }),
    since: { targets: 2 } as Since,
    /** `players`: how many it was shown to. */
    result: z.looseObject({ confirmedBy, players: count }),
    fits: ({ targets: chosen }: Fields, { players }: Fields): boolean =>
      !Array.isArray(chosen) || Number(players) <= chosen.length,
  },
  message: {
    ...EPHEMERAL,
    params: z.object({ target, message }),
    result: z.looseObject({ confirmedBy }),
    fits: isAnything,
  },
  revive: CARE,
  heal: CARE,
  freeze: {
    ...EPHEMERAL,
    params: z.object({ target, frozen: z.boolean(), reason: z.optional(reason) }),
    result: z.looseObject({ confirmedBy, frozen: z.boolean() }),
    fits: (params: Fields, result: Fields): boolean => result['frozen'] === params['frozen'],
  },
  teleport: {
    ...EPHEMERAL,
    params: z.object({
      target,
      to: z.union([z.strictObject({ player: target }), z.strictObject(coordinates)]),
      reason: z.optional(reason),
    }),
    /** Where the player is afterwards. */
    result: z.looseObject({ confirmedBy, position: z.looseObject(coordinates) }),
    fits: isAnything,
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
  /** {@link CustomRoles}, unread: wrong roles refuse their command and not the whole frame. */
  roles: z.optional(metadata),
});

/** The meaning of a custom command's parameters: the name of a parameter for each role. */
export type CustomRoles = {
  /** An amount of money; with an `item`, a count of that item. */
  amount?: string;
  item?: string;
  /** The player that the command acts on. */
  player?: string;
  reason?: string;
  /** Whether the hub refuses the command without a reason. */
  reasonRequired?: boolean;
};

const CUSTOM = 'custom:';
/** Custom commands are journaled as money is; how long one may be sent, milliseconds. */
export const CUSTOM_TTL_MS = 30_000;
/** The name of a custom command in frames and journals: `custom:revive`. No command of the catalogue has one like it. */
export type CustomName = `custom:${string}`;
export const customName = (name: string): CustomName => `${CUSTOM}${name}`;
export const isCustomName = (name: string): name is CustomName => name.startsWith(CUSTOM);
/** The name by which the game server knows it: `revive`. */
export const nameOfCustom = (name: CustomName): string => name.slice(CUSTOM.length);

/** The parameter that names the player a custom command acts on. */
export const playerParamOf = (roles: CustomRoles | null | undefined): string => roles?.player ?? 'target';

/** The player a custom command acts on: that parameter, where it is an identifier. */
export const targetOfCustom = (params: Fields, roles?: CustomRoles | null): string | undefined => {
  const name = playerParamOf(roles);
  const target = Object.hasOwn(params, name) ? params[name] : undefined;
  return typeof target === 'string' && IDENTIFIER_PATTERN.test(target) ? target : undefined;
};

/**
 * The key of a command's order. Commands with the same key run first in, first out; others do not wait for them. The
 * key is the player; without one, the command's name. Ephemeral commands have keys of their own.
 */
export const orderKey = (name: string, target: string | null | undefined): string => {
  const isUrgent = isCommandName(name) && COMMANDS[name].class === 'ephemeral';
  return `${isUrgent || target == null ? name : ''}/${target ?? ''}`;
};

/** How a bridge declares a command in `hello.commands`: `money@1`. */
export const commandTag = (name: CommandName): string => `${name}@1`;

/** The latest version of a command. Each version reads the frames of those before it. */
const latestOf = (name: CommandName): number => Math.max(1, ...Object.values(COMMANDS[name].since));

/** The same for all versions up to `most`, which is the latest one by default: `announce@1`, `announce@2`. */
export const commandTags = (name: CommandName, most = latestOf(name)): string[] =>
  Array.from({ length: Math.min(most, latestOf(name)) }, (_, nth) => `${name}@${nth + 1}`);

/** The version of a command that reads these parameters. */
export const versionFor = (name: CommandName, params: Fields): number => {
  let version = 1;
  for (const [field, since] of Object.entries(COMMANDS[name].since))
    if (params[field] !== undefined) version = Math.max(version, since);
  return version;
};

/** The declaration of a bridge that reads these parameters. */
export const tagFor = (name: CommandName, params: Fields): string => `${name}@${versionFor(name, params)}`;
