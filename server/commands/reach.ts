import type { Bus, BusMessageOf } from '../cluster/bus.ts';
import type { CustomCommand, Place, Reached, Router } from '../cluster/router.ts';
import { HubError } from '../platform/errors.ts';
import { customOf } from './custom.ts';

const ANSWER_WITHIN_MS = 2_000;

/** What a node says of a bridge that it holds; null: it holds none. `commands` is null until it has announced any. */
type Announced = { commands: readonly CustomCommand[] | null } | null;
type Address = { projectId: string; serverId: string };

/** What game servers add to the catalogue, asked of the node that holds their bridge: it changes as resources come and go. */
export const createReach = ({ router, bus }: { router: Router; bus: Pick<Bus, 'ask'> }) => {
  /** The node that holds the bridge, and what the bridge announced there. @throws HubError routing_unavailable, bridge_offline */
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
    const next = isLast || reply === 'silence' ? undefined : await router.locate(projectId, serverId);
    if (next !== undefined && next.id !== place.id) return announcedAt(next, address, true);
    if (announced === null) throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
    throw new HubError('routing_unavailable', undefined, { retryAfterS: 1 });
  };

  return {
    announcedAt,
    /** What another node is told. */
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
export type Reach = ReturnType<typeof createReach>;
