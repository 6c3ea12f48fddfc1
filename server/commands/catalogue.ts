import * as z from 'zod';
import {
  ACCOUNT_PATTERN,
  COMMANDS,
  type CommandName,
  type CommandParams,
  type CustomName,
  commandTag,
  isCommandName,
  LIMITS,
  nameOfCustom,
  paramsFault,
  targetOfCustom,
} from '../../bridge-protocol/index.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import { ANSWER_WITHIN_MS, type Bus, type BusMessageOf } from '../cluster/bus.ts';
import type { CustomCommand, Place, Reached, Router, Session } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { identifierText, plainText } from '../platform/text-fields.ts';

/** Absent, null and empty mean the same: there is none. */
const reason = z
  .union([plainText(LIMITS.reasonLength), z.literal(''), z.null()])
  .optional()
  .transform((text) => text || undefined)
  .meta({ type: ['string', 'null'], maxLength: LIMITS.reasonLength, description: 'Empty or null: none.' });

/** Fields that every command has. */
const common = {
  expiresInSeconds: z
    .int()
    .min(1)
    .max(3600)
    .optional()
    .meta({ description: 'How long the command may still be sent; default 10 for kick, 30 for money.' }),
};

/** A request body as parameters of the protocol. */
type Read<N extends CommandName> = {
  params: CommandParams<N>;
  /** The caller's word for `remove`: shown in answers, and not told to the bridge. */
  sentAction?: 'deduct';
  expiresInSeconds: number | undefined;
};

export type ParamColumn = 'action' | 'account' | 'amount' | 'reason';

/** The hub's part of a command. COMMANDS has the rest: class, time to live, parameters and result. */
type Entry<N extends CommandName> = {
  /** Title in the API reference. */
  readonly summary: string;
  /** Body of `POST /api/v2/bridge/{serverId}/{name}`, and how it becomes parameters. */
  readonly body: z.ZodType<Read<N>>;
  /** Parameters that answers leave out while they have this value. */
  readonly defaults: Partial<CommandParams<N>>;
  /** The columns of parameters in the journal as a table. The others are in its column `parameters`. */
  readonly columns: { readonly [P in keyof CommandParams<N>]?: ParamColumn };
  /** Refuses what this server or this project does not allow. @throws HubError */
  assertAllowed?(params: CommandParams<N>, server: Pick<Reached, 'accounts'>, project: ProjectRow): void;
};

/** The built-in commands. One entry here and in COMMANDS gives a command its route, scope, checks and documentation. */
const CATALOGUE: { readonly [N in CommandName]: Entry<N> } = {
  kick: {
    summary: 'Kick a player',
    body: z
      .strictObject({ target: identifierText, reason, ...common })
      .meta({ id: 'Kick' })
      .transform(({ target, reason: why = 'Kicked by staff', expiresInSeconds }) => ({
        params: { target, reason: why },
        expiresInSeconds,
      })),
    defaults: {},
    columns: { reason: 'reason' },
  },
  money: {
    summary: 'Give or deduct money',
    body: z
      .strictObject({
        target: identifierText,
        type: z.string().regex(ACCOUNT_PATTERN, 'must be an account type such as bank').meta({ example: 'bank' }),
        amount: z
          .int('must be a whole number')
          .min(1, 'must be at least 1; action says the direction')
          .meta({ maximum: Number.MAX_SAFE_INTEGER, example: 500 }),
        action: z.enum(['add', 'remove', 'deduct']),
        reason,
        allowNegative: z.boolean().default(false),
        ...common,
      })
      .meta({ id: 'Money' })
      .transform(({ target, type, amount, action: sent, allowNegative, reason: why, expiresInSeconds }) => {
        const action: 'add' | 'remove' = sent === 'add' ? 'add' : 'remove';
        // In this order: the fingerprint of a command is made of it.
        const params = { target, type, amount, action, allowNegative, reason: why };
        return { params, ...(sent === 'deduct' && { sentAction: sent }), expiresInSeconds };
      }),
    defaults: { allowNegative: false },
    columns: { action: 'action', type: 'account', amount: 'amount', reason: 'reason' },
    assertAllowed({ type, amount }, { accounts }, { maxAmount }) {
      if (!accounts.includes(type)) throw invalidField('/type', `this server has the accounts ${accounts.join(', ')}`);
      if (maxAmount !== null && amount > maxAmount) {
        throw invalidField('/amount', `the project allows at most ${maxAmount} in one command`);
      }
    },
  },
};

export const entryOf = <N extends CommandName>(name: N): Entry<N> => CATALOGUE[name];

/** A built-in command with its checked parameters, or a custom one whose parameters are yet to be checked. */
export type Wish =
  | { name: CommandName; params: CommandParams<CommandName> }
  | { name: CustomName; params: Record<string, unknown> };

export const isCatalogued = (wish: Wish): wish is Extract<Wish, { name: CommandName }> => isCommandName(wish.name);

/** The player that a command names, in the caller's word; undefined: it names none. */
export const targetOf = (wish: Wish): string | undefined =>
  isCatalogued(wish) ? wish.params.target : targetOfCustom(wish.params);

/** True for a command that runs exactly once: hub and bridge journal it, and its row is written durably. */
export const isExactlyOnce = (name: string): boolean => !isCommandName(name) || COMMANDS[name].class === 'exactly-once';

/** A bridge announces its custom commands within this time after its welcome. */
const ANNOUNCED_WITHIN_MS = 5_000;

/** The custom commands of a game server. @throws HubError bridge_offline: it has only just connected */
export const customOf = ({
  custom,
  connectedAt,
}: Pick<Session, 'custom' | 'connectedAt'>): ReadonlyMap<string, CustomCommand> => {
  if (custom !== undefined) return custom;
  if (Date.now() - connectedAt >= ANNOUNCED_WITHIN_MS) return new Map();
  throw new HubError('bridge_offline', 'The bridge has just connected and says in a moment what it can do.', {
    retryAfterS: 1,
  });
};

/** A node's answer about a bridge; null: it does not hold it. `commands` is null until the bridge has announced any. */
type Announced = { commands: readonly CustomCommand[] | null } | null;
type Address = { projectId: string; serverId: string };

/** Custom commands, asked of the node that holds the bridge: they change as resources start and stop. */
export const createReach = ({ router, bus }: { router: Router; bus: Pick<Bus, 'ask'> }) => {
  /** The place of the bridge with its custom commands. @throws HubError routing_unavailable, bridge_offline */
  const announcedAt = async (place: Place, address: Address, isLast = false): Promise<Reached & Place> => {
    const { projectId, serverId } = address;
    const reply = await bus.ask(place.node, { type: 'custom', projectId, serverId }, ANSWER_WITHIN_MS);
    const announced = typeof reply === 'object' ? (reply.answer as Announced) : undefined;
    if (announced) {
      const custom =
        announced.commands === null ? undefined : new Map(announced.commands.map((each) => [each.name, each]));
      return { ...place, custom };
    }
    router.doubt(projectId, serverId);
    const next = isLast || reply === 'timeout' ? undefined : await router.locate(projectId, serverId);
    if (next !== undefined && next.id !== place.id) return announcedAt(next, address, true);
    if (announced === null) throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
    throw new HubError('routing_unavailable', undefined, { retryAfterS: 1 });
  };

  return {
    announcedAt,
    /** This node's answer to that question. */
    announcedHere: async ({ projectId, serverId }: BusMessageOf<'custom'>): Promise<Announced> => {
      const session = await router.arrived(projectId, serverId);
      if (session === undefined) return null;
      return { commands: session.custom === undefined ? null : [...session.custom.values()] };
    },
    /** The custom commands of a server, by name; undefined: no bridge of it is connected. @throws HubError */
    customOf: async (address: Address): Promise<ReadonlyMap<string, CustomCommand> | undefined> => {
      const { projectId, serverId } = address;
      const session = router.find(projectId, serverId);
      if (session !== undefined) return customOf(session);
      const place = await router.locate(projectId, serverId);
      return place && customOf(await announcedAt(place, address));
    },
  };
};

/** The game server has this command, and its schema allows the parameters. @throws HubError */
const assertCustom = (
  server: Pick<Session, 'custom' | 'connectedAt'>,
  { name, params }: { name: CustomName; params: Record<string, unknown> },
): void => {
  const known = customOf(server);
  const command = known.get(nameOfCustom(name));
  if (command === undefined) {
    const names = known.size === 0 ? 'none' : [...known.keys()].join(', ');
    throw new HubError(
      'action_not_found',
      `The server has no custom command "${nameOfCustom(name)}" now; it has: ${names}.`,
    );
  }
  const fault = paramsFault(command.params, params);
  if (fault !== undefined) throw invalidField(fault.pointer, fault.detail);
};

/** The bridge can do it, now and with this journal, and the project allows it. @throws HubError */
export const assertCapable = (server: Reached, wish: Wish & { player?: string }, project: ProjectRow): void => {
  if (server.state.draining === true) throw new HubError('server_restarting', undefined, { retryAfterS: 30 });
  if (isCatalogued(wish)) {
    if (!server.commands.has(commandTag(wish.name))) throw new HubError('unsupported');
  } else {
    const { name, params, player } = wish;
    assertCustom(server, { name, params: player === undefined ? params : { ...params, target: player } });
  }
  if (isExactlyOnce(wish.name) && server.journalClass === 'volatile' && !project.allowVolatile) {
    throw new HubError('journal_required');
  }
  if (isCatalogued(wish)) entryOf(wish.name).assertAllowed?.(wish.params, server, project);
};
