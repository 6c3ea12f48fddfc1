import * as z from 'zod';
import {
  ACCOUNT_PATTERN,
  COMMAND_NAMES,
  COMMANDS,
  type CommandName,
  type CommandParams,
  CUSTOM_NAME_PATTERN,
  type CustomName,
  type CustomRoles,
  commandTag,
  customName,
  isCommandName,
  isCustomName,
  LIMITS,
  nameOfCustom,
  paramsFault,
  playerParamOf,
  readParams,
  rolesFault,
  targetOfCustom,
} from '../../bridge-protocol/index.ts';
import { moneyBounds, type ProjectRow } from '../../db/queries/projects.ts';
import type { Deliver } from '../../db/schema/commands.ts';
import type { CommandScope, Scope } from '../auth/credentials.ts';
import type { Bridge, CustomCommand, Session } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { faultsOf, identifiersOnce, identifierText, plainText, wireText } from '../platform/fields.ts';
import { assertVersion } from './versions.ts';

/** A request body as parameters of the protocol. */
export type Read<N extends CommandName> = {
  params: CommandParams<N>;
  /** The caller's word for `remove`: shown in answers, and not told to the bridge. */
  sentAction?: 'deduct';
  expiresInSeconds: number | undefined;
  /** Absent: now. */
  deliver?: Deliver | undefined;
};

/** The reason of a kick without one: games show it to the player. */
const KICK_REASON = 'Kicked by staff';

const reason = z
  .union([plainText(LIMITS.reasonLength), z.literal(''), z.null()])
  .optional()
  .transform((text) => text || undefined)
  .meta({ type: ['string', 'null'], maxLength: LIMITS.reasonLength, description: 'Empty or null: none.' });

/** Fields that every command has. */
const common = {
  expiresInSeconds: z.int().min(1).max(3600).optional().meta({
    description: 'How long the command may still be sent; default 30 for money, items, vehicles and job, else 10.',
  }),
};

/** The longest time that a command may wait, and the usual one: 30 and 7 days, in seconds. */
export const WAIT_S = { most: 2_592_000, usual: 604_800 };
/** The longest time in which a command that does not wait may be sent; that of a batch has it by default. */
export const NOW_S = 3600;

/** Whether a command may wait for its server or its player, and for how long. */
export const waitingFields = {
  deliver: z.enum(['now', 'when_connected', 'when_online']).default('now').meta({
    description:
      'when_connected waits for the game server, when_online also for the player. The answer is then 202 with the status waiting.',
  }),
  expiresInSeconds: z
    .int()
    .min(1)
    .max(WAIT_S.most)
    .optional()
    .meta({
      description: `How long it may still be sent: at most ${NOW_S}, by default 30; with deliver at most ${WAIT_S.most}, by default ${WAIT_S.usual}.`,
    }),
};

type Waiting = { deliver: 'now' | Deliver; expiresInSeconds?: number | undefined };

/** @throws nothing; adds an issue where a command that does not wait has a longer time than an hour. */
export const checkWaiting = ({ deliver, expiresInSeconds = 0 }: Waiting, { addIssue }: z.RefinementCtx): void => {
  if (deliver !== 'now' || expiresInSeconds <= NOW_S) return;
  const message = `must be at most ${NOW_S}, or send deliver, too`;
  addIssue({ code: 'custom', path: ['expiresInSeconds'], message });
};

/** The fields of {@link waitingFields} as a request has them. */
export const readWaiting = ({ deliver, expiresInSeconds }: Waiting) =>
  deliver === 'now' ? { expiresInSeconds } : { deliver, expiresInSeconds: expiresInSeconds ?? WAIT_S.usual };

/** A body as parameters, in the order of its schema: the fingerprint of a command is made of them. */
const asParams = <B extends { expiresInSeconds?: number | undefined }>({ expiresInSeconds, ...params }: B) => ({
  params,
  expiresInSeconds,
});
/** A body of a command that may wait, as parameters. */
const asLasting = <B extends Waiting>({ deliver, expiresInSeconds, ...params }: B) => ({
  params,
  ...readWaiting({ deliver, expiresInSeconds }),
});

/** Names that a game server's script could take for something else. */
const UNSAFE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor']);

/** Metadata of an item within the bounds of custom parameters, keys sorted. */
const itemMetadata = z
  .unknown()
  .transform((given, { addIssue }): Record<string, unknown> => {
    const read = readParams(given, UNSAFE_NAMES);
    if ('params' in read) return read.params;
    const { pointer, detail } = read.fault;
    addIssue({ code: 'custom', input: given, path: pointer.split('/').filter(Boolean), message: detail });
    return z.NEVER;
  })
  .optional()
  .meta({
    type: 'object',
    additionalProperties: {},
    description: 'Only stacks with exactly these metadata; absent: all stacks of the item.',
  });

const itemName = wireText(LIMITS.itemNameLength);
const message = wireText(LIMITS.messageLength);
const coordinate = z.number().min(-1_000_000).max(1_000_000);

/** The body of a command that has nothing but a player and a reason. */
const acted = (id: string) =>
  z
    .strictObject({ target: identifierText, reason, ...common })
    .meta({ id })
    .transform(asParams);

/** Exactly the fields that an action of `vehicles` needs. */
const vehicleFault = ({ action, model, plate, metadata }: Partial<CommandParams<'vehicles'>>) => {
  const isGiven = action === 'give';
  if (isGiven && model === undefined) return { path: ['model'], message: 'give needs a model' };
  if (!isGiven && model !== undefined) return { path: ['model'], message: 'only give has a model' };
  if (!isGiven && metadata !== undefined) return { path: ['metadata'], message: 'only give has metadata' };
  if (!isGiven && plate === undefined) return { path: ['plate'], message: 'take and store need a plate' };
  return undefined;
};

/** The body of `POST /api/v2/bridge/{serverId}/{name}` for each command, and how it becomes parameters. */
export const BODIES: { readonly [N in CommandName]: z.ZodType<Read<N>> } = {
  kick: z
    .strictObject({ target: identifierText, reason, ...common })
    .meta({ id: 'Kick' })
    .transform(({ target, reason: why = KICK_REASON, expiresInSeconds }) => ({
      params: { target, reason: why },
      expiresInSeconds,
    })),
  money: z
    .strictObject({
      target: identifierText,
      type: z.string().regex(ACCOUNT_PATTERN, 'must be an account type such as bank').meta({ example: 'bank' }),
      amount: z
        .int()
        .min(1, 'must be at least 1; action says the direction')
        .meta({ maximum: Number.MAX_SAFE_INTEGER, example: 500 }),
      action: z.enum(['add', 'remove', 'deduct']),
      reason,
      allowNegative: z.boolean().default(false),
      ...waitingFields,
    })
    .superRefine(checkWaiting)
    .meta({ id: 'Money' })
    .transform(({ target, type, amount, action: sent, allowNegative, reason: why, ...waiting }) => {
      const action: 'add' | 'remove' = sent === 'add' ? 'add' : 'remove';
      // In this order: the fingerprint of a command is made of it.
      const params = { target, type, amount, action, allowNegative, reason: why };
      return { params, ...(sent === 'deduct' && { sentAction: sent }), ...readWaiting(waiting) };
    }),
  items: z
    .strictObject({
      target: identifierText,
      item: itemName.meta({ example: 'bread' }),
      count: z
        .int()
        .min(1, 'must be at least 1; action says the direction')
        .max(LIMITS.itemCount, `must be at most ${LIMITS.itemCount}`)
        .meta({ example: 3 }),
      action: z.enum(['add', 'remove']),
      metadata: itemMetadata,
      allowPartial: z.boolean().default(false),
      reason,
      ...waitingFields,
    })
    .superRefine(checkWaiting)
    .meta({ id: 'Items' })
    .transform(asLasting),
  vehicles: z
    .strictObject({
      target: identifierText,
      action: z.enum(['give', 'take', 'store']),
      model: itemName.optional().meta({ example: 'adder', description: 'With give, and only there.' }),
      plate: wireText(LIMITS.plateLength)
        .transform((text) => text.trim().toUpperCase())
        .refine((text) => text !== '', 'must not be blank')
        // Capitals can be longer: ß becomes SS.
        .refine(
          (text) => text.length <= LIMITS.plateLength,
          `must have at most ${LIMITS.plateLength} characters in capitals`,
        )
        .optional()
        .meta({ example: 'ABC 123', description: 'Needed but for give, where the game makes one up.' }),
      garage: itemName.optional(),
      metadata: itemMetadata,
      reason,
      ...waitingFields,
    })
    .superRefine((body, { addIssue }) => {
      const fault = vehicleFault(body);
      if (fault !== undefined) addIssue({ code: 'custom', ...fault });
    })
    .superRefine(checkWaiting)
    .meta({
      id: 'Vehicles',
      example: { target: 'char1:5f3a9c', action: 'give', model: 'adder', reason: 'Lottery' },
    })
    .transform(asLasting),
  job: z
    .strictObject({
      target: identifierText,
      job: itemName.meta({ example: 'police' }),
      grade: z.int().min(0, 'must be at least 0').meta({ example: 2 }),
      reason,
      ...waitingFields,
    })
    .superRefine(checkWaiting)
    .meta({ id: 'Job' })
    .transform(asLasting),
  announce: z
    .strictObject({
      message,
      targets: identifiersOnce(LIMITS.announceTargets)
        .optional()
        .meta({ description: 'Only these players, by their own identifiers. Those who are not online are skipped.' }),
      ...common,
    })
    .meta({ id: 'Announce' })
    .transform(asParams),
  message: z
    .strictObject({ target: identifierText, message, ...common })
    .meta({ id: 'Message' })
    .transform(asParams),
  revive: acted('Revive'),
  heal: acted('Heal'),
  freeze: z
    .strictObject({ target: identifierText, frozen: z.boolean(), reason, ...common })
    .meta({ id: 'Freeze' })
    .transform(asParams),
  teleport: z
    .strictObject({
      target: identifierText,
      to: z
        .union(
          [z.strictObject({ player: identifierText }), z.strictObject({ x: coordinate, y: coordinate, z: coordinate })],
          'must be {player} or {x, y, z}',
        )
        .meta({ example: { x: 1, y: 2, z: 3 } }),
      reason,
      ...common,
    })
    .meta({ id: 'Teleport' })
    .transform(asParams),
};

export type ParamColumn = 'action' | 'account' | 'amount' | 'item' | 'count' | 'reason';

/** The hub's part of a command. COMMANDS has the rest: class, time to live, parameters and result. */
type Entry<N extends CommandName> = {
  /** The scope that it needs, after `commands:`. */
  readonly scope: CommandScope;
  /** Title in the API reference. */
  readonly summary: string;
  /** Parameters that answers leave out while they have this value. */
  readonly defaults?: Partial<CommandParams<N>>;
  /** The columns of parameters in the journal as a table; of a list, `count` has its length. The others are in its column `parameters`. */
  readonly columns: { readonly [P in keyof CommandParams<N>]?: ParamColumn };
  /** Refuses what this server or this project does not allow. @throws HubError */
  assertAllowed?(params: CommandParams<N>, server: Pick<Bridge, 'accounts'>, project: ProjectRow): void;
};

/**
 * The built-in commands. One entry here, in BODIES and in COMMANDS gives a command its route, scope, checks and
 * documentation.
 */
const CATALOGUE: { readonly [N in CommandName]: Entry<N> } = {
  kick: { scope: 'kick', summary: 'Kick a player', columns: { reason: 'reason' } },
  money: {
    scope: 'money',
    summary: 'Give or deduct money',
    defaults: { allowNegative: false },
    columns: { action: 'action', type: 'account', amount: 'amount', reason: 'reason' },
    assertAllowed({ type, amount }, { accounts }, project) {
      const { maxAmount } = moneyBounds(project);
      if (!accounts.includes(type)) throw invalidField('/type', `this server has the accounts ${accounts.join(', ')}`);
      if (maxAmount !== null && amount > maxAmount) {
        throw invalidField('/amount', `the project allows at most ${maxAmount} in one command`);
      }
    },
  },
  items: {
    scope: 'items',
    summary: 'Give or take items',
    defaults: { allowPartial: false },
    columns: { action: 'action', item: 'item', count: 'count', reason: 'reason' },
  },
  vehicles: {
    scope: 'vehicles',
    summary: 'Give, take or store a vehicle',
    columns: { action: 'action', model: 'item', reason: 'reason' },
  },
  job: {
    scope: 'job',
    summary: 'Set the job of a player',
    columns: { job: 'item', reason: 'reason' },
  },
  announce: {
    scope: 'announce',
    summary: 'Show a text to all players, or to some',
    columns: { targets: 'count' },
  },
  message: { scope: 'announce', summary: 'Show a text to one player', columns: {} },
  revive: {
    scope: 'player',
    summary: 'Revive a player',
    columns: { reason: 'reason' },
  },
  heal: { scope: 'player', summary: 'Heal a player', columns: { reason: 'reason' } },
  freeze: {
    scope: 'player',
    summary: 'Freeze a player, or let one move again',
    columns: { reason: 'reason' },
  },
  teleport: {
    scope: 'player',
    summary: 'Move a player',
    columns: { reason: 'reason' },
  },
};

/** The commands that have a reason. */
export const COMMANDS_WITH_REASON = COMMAND_NAMES.filter((name) => 'reason' in CATALOGUE[name].columns);

export const entryOf = <N extends CommandName>(name: N): Entry<N> => CATALOGUE[name];

/** The scope that a key needs for a command. */
export const scopeOf = (name: string): Scope =>
  isCommandName(name) ? `commands:${entryOf(name).scope}` : 'commands:custom';

/** A built-in command with its checked parameters, or a custom one, yet to be checked, with the roles of now. */
export type Wish = (
  | { name: CommandName; params: CommandParams<CommandName> }
  | { name: CustomName; params: Record<string, unknown>; roles?: CustomRoles }
) & {
  /** The caller's word for `remove`: shown in answers, and not told to the bridge. */
  sentAction?: 'deduct';
  /** The own identifier of the target player, if the caller sent a linked one. */
  player?: string;
};

/** A caller's request for a command. */
export type CommandRequest = Wish & {
  project: ProjectRow;
  serverId: string;
  /** Whether the caller's key may read players. */
  canSeePlayers: boolean;
  actor: { keyId: string; name: string };
  requestId: string;
  idempotencyKey: string | undefined;
  /** Where it may wait for its server or its player; undefined: it is sent now or not at all. */
  deliver?: Deliver | undefined;
  /** Epoch milliseconds after which it must not be sent any more. */
  expiresAt: number;
  /** The longest wait of the caller for the outcome; 0: none. */
  waitMs: number;
  /** The command whose opposite it is. */
  undoes?: string;
  /** The command without effect that it does again. */
  repeats?: string;
  /** Asked in the turn in which it is stored: true stores it as taken back, so that it never starts. */
  isTakenBack?: () => Promise<boolean>;
};

/** Idempotency keys that the hub makes by itself: a caller who had one of them would stand for the hub's own command. */
export const isHubsKey = (key: string): boolean => /^(shop|schedule|batch|undo|again)\//.test(key);

/**
 * A command has a reason where the project wants one. Those that the hub sends by itself, and the opposite of a command,
 * may lack it: they were checked when they were planned, or must not fail for a word. `pointer`: where the reason belongs.
 * @throws HubError reason_required
 */
export const assertReason = (
  { reasonFor }: Pick<ProjectRow, 'reasonFor'>,
  { name, params }: Wish,
  pointer = '/reason',
): void => {
  if (reasonFor?.includes(name) !== true) return;
  const { reason: given = KICK_REASON } = params as { reason?: string };
  if (given !== KICK_REASON && given.trim() !== '') return;
  const detail = `the project wants a reason for ${name}`;
  throw new HubError('reason_required', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
};

export const isCatalogued = (wish: Wish): wish is Extract<Wish, { name: CommandName }> => isCommandName(wish.name);

/** The player that a command names, in the caller's word; undefined: it names none. */
export const targetOf = (wish: Wish): string | undefined =>
  isCatalogued(wish) ? (wish.params as { target?: string }).target : targetOfCustom(wish.params, wish.roles);

/** True for a command that runs exactly once: hub and bridge journal it, and its row is written durably. */
export const isExactlyOnce = (name: string): boolean => !isCommandName(name) || COMMANDS[name].class === 'exactly-once';

/** A command, ready to be submitted, or the place of its first fault as a JSON pointer into `{name, params}`. */
type ReadWish = { wish: Wish } | { pointer: string; detail: string };

/** Fields of a body that say how the command is sent: batches, schedules and shops say that themselves. */
const ABOUT_SENDING = ['expiresInSeconds', 'deliver'];
const LONGEST = 200;

/** Reads a command that is part of something else, by the rules of its own route. `params` include the player. */
export const readWish = (name: string, params: Record<string, unknown>): ReadWish => {
  if (isCustomName(name) && CUSTOM_NAME_PATTERN.test(nameOfCustom(name))) {
    const read = readParams(params);
    if ('fault' in read)
      return { pointer: `/params${read.fault.pointer}`.replace(/\/$/, ''), detail: read.fault.detail };
    return { wish: { name: customName(nameOfCustom(name)), params: read.params } };
  }
  if (!isCommandName(name)) return { pointer: '/name', detail: 'must be a command such as money or custom:give_item' };
  const foreign = ABOUT_SENDING.find((field) => Object.hasOwn(params, field));
  if (foreign !== undefined) return { pointer: `/params/${foreign}`, detail: 'this field does not exist here' };
  const read = BODIES[name].safeParse(params);
  if (!read.success) {
    const [{ path, detail } = { path: [], detail: '' }] = faultsOf(read.error.issues);
    return { pointer: ['/params', ...path.map(String)].join('/').slice(0, LONGEST), detail };
  }
  const { expiresInSeconds: _, deliver: __, ...command } = read.data;
  return { wish: { name, ...command } };
};

/** Does the same, and refuses a command that need not run exactly once. */
export const readLastingWish = (name: string, params: Record<string, unknown>): ReadWish =>
  isExactlyOnce(name)
    ? readWish(name, params)
    : { pointer: '/name', detail: 'must be money, items, vehicles, job or a custom command such as custom:give_item' };

/** Whether the game server does not offer this custom command, and may do so soon. */
export const isStillExpected = (
  { custom, offersUntil }: Pick<Session, 'custom' | 'offersUntil'>,
  wish: Wish,
): boolean => !isCatalogued(wish) && custom?.has(nameOfCustom(wish.name)) !== true && performance.now() < offersUntil;

type Announcing = Pick<Bridge, 'custom' | 'announcement' | 'announcesUntil'>;

/** Resources start within seconds of their bridge: a command that is missing then may still come. */
const notKnownYet = (): HubError => new HubError('commands_not_known_yet', undefined, { retryAfterS: 1 });
const isJustConnected = ({ announcesUntil = 0 }: Announcing): boolean => performance.now() < announcesUntil;

/** The custom commands of a game server. @throws HubError commands_not_known_yet: not announced, or still being read */
export const customOf = (server: Announcing): ReadonlyMap<string, CustomCommand> => {
  if (server.custom !== undefined) return server.custom;
  if (server.announcement === undefined && !isJustConnected(server)) return new Map();
  throw notKnownYet();
};

/** The game server has this command, and its schema and roles allow the parameters. @throws HubError */
const assertCustom = (
  server: Announcing,
  { name, params: sent, player, roles }: Extract<Wish, { name: CustomName }>,
): void => {
  const known = customOf(server);
  const command = known.get(nameOfCustom(name));
  if (command === undefined) {
    if (isJustConnected(server)) throw notKnownYet();
    const names = known.size === 0 ? 'none' : [...known.keys()].join(', ');
    throw new HubError(
      'action_not_found',
      `The server has no custom command "${nameOfCustom(name)}" now; it has: ${names}.`,
    );
  }
  const params = player === undefined ? sent : { ...sent, [playerParamOf(roles)]: player };
  const fault = paramsFault(command.params, params) ?? (command.roles && rolesFault(command.roles, params));
  if (fault !== undefined) throw invalidField(fault.pointer, fault.detail);
};

/** Never stronger than that of the journal. */
const isVolatile = ({ classes, journalClass }: Bridge, wish: Wish): boolean =>
  journalClass === 'volatile' || (isCatalogued(wish) && classes[commandTag(wish.name)] === 'volatile');

/** The bridge can do it, now and with this journal, and the project allows it. @throws HubError */
export const assertCapable = (server: Bridge, wish: Wish, project: ProjectRow): void => {
  if (server.state.draining === true) throw new HubError('server_restarting', undefined, { retryAfterS: 30 });
  if (isCatalogued(wish)) assertVersion(server, wish);
  else assertCustom(server, wish);
  if (isExactlyOnce(wish.name) && isVolatile(server, wish) && !project.allowVolatile)
    throw new HubError('journal_required');
  if (isCatalogued(wish)) entryOf(wish.name).assertAllowed?.(wish.params, server, project);
};
