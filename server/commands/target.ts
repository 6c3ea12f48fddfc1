import type { Namesake } from '../../db/queries/players/find.ts';
import type { Store } from '../../db/store.ts';
import { addressOf } from '../cluster/router.ts';
import { HubError } from '../platform/errors.ts';
import { type SubmitRequest, targetOf } from './draft.ts';

/** Own identifiers that were looked up before, of all servers together. */
const MAX_KNOWN = 10_000;

const ambiguous = (target: string, players: Namesake[], { canSeePlayers }: SubmitRequest): HubError =>
  new HubError(
    'player_ambiguous',
    `${target} belongs to ${players.length} players of this server. Send the own identifier of one of them.`,
    canSeePlayers ? { players: players.map(({ identifier, name, online }) => ({ identifier, name, online })) } : {},
  );

/**
 * Finds the player that the target of a command means. A player's own identifier stays as it is, and so does what fits
 * no player of the server: the bridge decides then.
 */
export const createResolveTarget = ({ store }: { store: Pick<Store, 'players'> }) => {
  // An own identifier stays one, so that a player who is paid often is looked up once.
  const known = new Set<string>();

  /** @throws HubError player_ambiguous */
  return async (request: SubmitRequest): Promise<SubmitRequest> => {
    const { project, serverId } = request;
    const target = targetOf(request);
    if (target === undefined) return request;
    const key = `${addressOf(project.id, serverId)} ${target}`;
    if (known.has(key)) return request;
    const meant = await store.players.meant(project.id, serverId, target);
    if (meant === 'own') {
      if (known.size >= MAX_KNOWN) known.clear();
      known.add(key);
      return request;
    }
    const [player, ...others] = meant;
    if (others.length > 0) throw ambiguous(target, meant, request);
    return player === undefined ? request : { ...request, player: player.identifier };
  };
};
