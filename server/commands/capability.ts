import {
  type CustomName,
  commandTag,
  nameOfCustom,
  paramsFault,
  playerParamOf,
  rolesFault,
} from '../../bridge-protocol/index.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import { ANSWER_WITHIN_MS, type Bus, type BusMessageOf } from '../cluster/bus.ts';
import type { CustomCommand, Place, Reached, Router, Session } from '../cluster/router.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { entryOf, isCatalogued, isExactlyOnce, type Wish } from './catalogue.ts';

/** Whether the game server does not offer this custom command, and may do so soon. */
export const isStillExpected = (
  { custom, offersUntil }: Pick<Session, 'custom' | 'offersUntil'>,
  wish: Wish,
): boolean => !isCatalogued(wish) && custom?.has(nameOfCustom(wish.name)) !== true && performance.now() < offersUntil;

type Announcing = Pick<Reached, 'custom' | 'announcement' | 'announcesUntil'>;

/** Resources start within seconds of their bridge: a command that is missing then may still come. */
const notKnownYet = (): HubError => new HubError('commands_not_known_yet', undefined, { retryAfterS: 1 });
const isJustConnected = ({ announcesUntil = 0 }: Announcing): boolean => performance.now() < announcesUntil;

/** The custom commands of a game server. @throws HubError commands_not_known_yet: not announced, or still being read */
export const customOf = (server: Announcing): ReadonlyMap<string, CustomCommand> => {
  if (server.custom !== undefined) return server.custom;
  if (server.announcement === undefined && !isJustConnected(server)) return new Map();
  throw notKnownYet();
};

/**
 * A node's answer about a bridge; null: it does not hold it. `commands` is null until the bridge has announced any.
 * `forMs`: the bridge may announce more for so long.
 */
type Announced = { commands: readonly CustomCommand[] | null; isReading?: boolean; forMs?: number } | null;
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
      const announcesUntil = performance.now() + (announced.forMs ?? 0);
      return { ...place, custom, announcement: announced.isReading ? announced : undefined, announcesUntil };
    }
    router.doubt(projectId, serverId);
    const next = isLast || reply === 'timeout' ? undefined : await router.locate(projectId, serverId);
    if (next !== undefined && next.id !== place.id) return announcedAt(next, address, true);
    if (announced === null) throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
    throw new HubError('routing_unavailable', undefined, { retryAfterS: 1 });
  };

  const customOfServer = async (address: Address): Promise<ReadonlyMap<string, CustomCommand> | undefined> => {
    const { projectId, serverId } = address;
    const session = router.find(projectId, serverId);
    if (session !== undefined) return customOf(session);
    const place = await router.locate(projectId, serverId);
    return place && customOf(await announcedAt(place, address));
  };

  return {
    announcedAt,
    /** This node's answer to that question. */
    announcedHere: async ({ projectId, serverId }: BusMessageOf<'custom'>): Promise<Announced> => {
      const session = await router.arrived(projectId, serverId);
      if (session === undefined) return null;
      const { custom, announcement, announcesUntil } = session;
      const forMs = announcesUntil - performance.now();
      const commands = custom === undefined ? null : [...custom.values()];
      return { commands, isReading: announcement !== undefined, forMs };
    },
    /** The custom commands of a server, by name; undefined: no bridge of it is connected. @throws HubError */
    customOf: customOfServer,
    /** The same; undefined also while they are not known: commands that wait are checked when they leave. */
    customNow: (address: Address): Promise<ReadonlyMap<string, CustomCommand> | undefined> =>
      customOfServer(address).catch((error: unknown) => {
        if (error instanceof HubError) return undefined;
        throw error;
      }),
  };
};

/** The game server has this command, and its schema and roles allow the parameters. @throws HubError */
const assertCustom = (
  server: Announcing,
  { name, params: sent, player, roles }: Extract<Wish, { name: CustomName }> & { player?: string },
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
const isVolatile = ({ classes, journalClass }: Reached, wish: Wish): boolean =>
  journalClass === 'volatile' || (isCatalogued(wish) && classes[commandTag(wish.name)] === 'volatile');

/** The bridge can do it, now and with this journal, and the project allows it. @throws HubError */
export const assertCapable = (server: Reached, wish: Wish & { player?: string }, project: ProjectRow): void => {
  if (server.state.draining === true) throw new HubError('server_restarting', undefined, { retryAfterS: 30 });
  if (isCatalogued(wish)) {
    if (!server.commands.has(commandTag(wish.name))) throw new HubError('unsupported');
  } else assertCustom(server, wish);
  if (isExactlyOnce(wish.name) && isVolatile(server, wish) && !project.allowVolatile) {
    throw new HubError('journal_required');
  }
  if (isCatalogued(wish)) entryOf(wish.name).assertAllowed?.(wish.params, server, project);
};
