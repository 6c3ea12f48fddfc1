import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Namesake } from '../../db/queries/players/find.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Store } from '../../db/store.ts';
import { addressOf } from '../cluster/router.ts';
import { HubError } from '../platform/errors.ts';
import { targetOf, type Wish } from './catalogue.ts';

/** Targets that are remembered, for all servers together. */
const MAX_KNOWN = 10_000;
/** An unknown target is looked up again after this: the player may be known by then. */
const UNKNOWN_FOR_MS = 60_000;

/** A command for a player of a server. */
export type TargetedWish = Wish & {
  project: ProjectRow;
  serverId: string;
  /** The own identifier of the target player, if the caller sent a linked one. */
  player?: string;
  /** Whether the caller's key may read players. */
  canSeePlayers: boolean;
};

const ambiguous = (target: string, players: Namesake[], { canSeePlayers }: TargetedWish): HubError =>
  new HubError(
    'player_ambiguous',
    `${target} belongs to ${players.length} players of this server. Send the own identifier of one of them.`,
    canSeePlayers ? { players: players.map(({ identifier, name, online }) => ({ identifier, name, online })) } : {},
  );

/**
 * Finds the player that the target of a command means. A player's own identifier is sent as it is. So is a target that
 * fits no player of the server: then the bridge decides.
 */
export const createTargets = ({ store }: { store: Pick<Store, 'players'> }) => {
  // A target is sent unchanged until this time. A look-up costs as much as the rest of a kick.
  const asSent = new Map<string, number>();
  const remember = (key: string, until: number): void => {
    if (asSent.size >= MAX_KNOWN) asSent.clear();
    asSent.set(key, until);
  };

  const keyOf = (projectId: string, serverId: string, target: string): string =>
    `${addressOf(projectId, serverId)} ${target}`;

  /** @throws HubError player_ambiguous */
  const resolve = async <W extends TargetedWish>(request: W): Promise<W> => {
    const { project, serverId } = request;
    const target = targetOf(request);
    if (target === undefined) return request;
    const key = keyOf(project.id, serverId, target);
    if ((asSent.get(key) ?? 0) > performance.now()) return request;
    const meant = await store.players.meant(project.id, serverId, target);
    if (meant === 'own') {
      remember(key, Number.POSITIVE_INFINITY);
      return request;
    }
    const [player, ...others] = meant;
    if (others.length > 0) throw ambiguous(target, meant, request);
    if (player !== undefined) return { ...request, player: player.identifier };
    remember(key, performance.now() + UNKNOWN_FOR_MS);
    return request;
  };

  return {
    resolve,
    /** Forgets a target that the game server does not know: the next request looks it up again. */
    forget: ({ projectId, serverId, target }: Pick<CommandRow, 'projectId' | 'serverId' | 'target'>): void => {
      if (target !== null) asSent.delete(keyOf(projectId, serverId, target));
    },
  };
};
