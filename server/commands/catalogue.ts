import type * as z from 'zod';
import {
  COMMANDS,
  type CommandName,
  type CommandParams,
  type CustomName,
  type CustomRoles,
  isCommandName,
  targetOfCustom,
} from '../../bridge-protocol/index.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { CommandScope, Scope } from '../auth/credentials.ts';
import type { Reached } from '../cluster/router.ts';
import { invalidField } from '../platform/errors.ts';
import { BODIES, type Read } from './bodies.ts';

export type ParamColumn = 'action' | 'account' | 'amount' | 'item' | 'count' | 'reason';

/** The hub's part of a command. COMMANDS has the rest: class, time to live, parameters and result. */
type Entry<N extends CommandName> = {
  /** The scope that it needs, after `commands:`. */
  readonly scope: CommandScope;
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
    scope: 'kick',
    summary: 'Kick a player',
    body: BODIES.kick,
    defaults: {},
    columns: { reason: 'reason' },
  },
  money: {
    scope: 'money',
    summary: 'Give or deduct money',
    body: BODIES.money,
    defaults: { allowNegative: false },
    columns: { action: 'action', type: 'account', amount: 'amount', reason: 'reason' },
    assertAllowed({ type, amount }, { accounts }, { maxAmount }) {
      if (!accounts.includes(type)) throw invalidField('/type', `this server has the accounts ${accounts.join(', ')}`);
      if (maxAmount !== null && amount > maxAmount) {
        throw invalidField('/amount', `the project allows at most ${maxAmount} in one command`);
      }
    },
  },
  items: {
    scope: 'items',
    summary: 'Give or take items',
    body: BODIES.items,
    defaults: { allowPartial: false },
    columns: { action: 'action', item: 'item', count: 'count', reason: 'reason' },
  },
  vehicles: {
    scope: 'vehicles',
    summary: 'Give, take or store a vehicle',
    body: BODIES.vehicles,
    defaults: {},
    columns: { action: 'action', model: 'item', reason: 'reason' },
  },
  job: {
    scope: 'job',
    summary: 'Set the job of a player',
    body: BODIES.job,
    defaults: {},
    columns: { job: 'item', reason: 'reason' },
  },
  announce: {
    scope: 'announce',
    summary: 'Show a text to all players',
    body: BODIES.announce,
    defaults: {},
    columns: {},
  },
  message: {
    scope: 'announce',
    summary: 'Show a text to one player',
    body: BODIES.message,
    defaults: {},
    columns: {},
  },
  revive: {
    scope: 'player',
    summary: 'Revive a player',
    body: BODIES.revive,
    defaults: {},
    columns: { reason: 'reason' },
  },
  heal: { scope: 'player', summary: 'Heal a player', body: BODIES.heal, defaults: {}, columns: { reason: 'reason' } },
  freeze: {
    scope: 'player',
    summary: 'Freeze a player, or let one move again',
    body: BODIES.freeze,
    defaults: {},
    columns: { reason: 'reason' },
  },
  teleport: {
    scope: 'player',
    summary: 'Move a player',
    body: BODIES.teleport,
    defaults: {},
    columns: { reason: 'reason' },
  },
};

export const entryOf = <N extends CommandName>(name: N): Entry<N> => CATALOGUE[name];

/** The scope that a key needs for a command. */
export const scopeOf = (name: string): Scope =>
  isCommandName(name) ? `commands:${entryOf(name).scope}` : 'commands:custom';

/**
 * A built-in command with its checked parameters, or a custom one whose parameters are yet to be checked; its roles are
 * those that the game server declares now.
 */
export type Wish =
  | { name: CommandName; params: CommandParams<CommandName> }
  | { name: CustomName; params: Record<string, unknown>; roles?: CustomRoles };

export const isCatalogued = (wish: Wish): wish is Extract<Wish, { name: CommandName }> => isCommandName(wish.name);

/** The player that a command names, in the caller's word; undefined: it names none. */
export const targetOf = (wish: Wish): string | undefined =>
  isCatalogued(wish) ? (wish.params as { target?: string }).target : targetOfCustom(wish.params, wish.roles);

/** True for a command that runs exactly once: hub and bridge journal it, and its row is written durably. */
export const isExactlyOnce = (name: string): boolean => !isCommandName(name) || COMMANDS[name].class === 'exactly-once';
