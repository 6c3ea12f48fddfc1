import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Namesake } from '../../db/queries/players/find.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { Store } from '../../db/store.ts';
import { addressOf } from '../cluster/router.ts';
import { HubError } from '../platform/errors.ts';
import { targetOf, type Wish } from './catalogue.ts';

/** Targets that are remembered, for all servers together. The latest report is remembered of as many servers. */
const MAX_KNOWN = 10_000;
/** An unknown target is looked up again after this, in case that a message of another node was lost. */
const UNKNOWN_FOR_MS = 60_000;

/** A command for a player of a server. */
export type TargetedWish = Wish & {
  project: ProjectRow;
  serverId: string;
  /** The own identifier of the target player, if the caller sent a linked one. */
  player?: string;
  /** Whether the caller's key may read players. */
  canSeePlayers: boolean;
  /** Given: the command may wait. */
  deliver?: CommandRow['deliver'] | undefined;
};

type Address = { readonly projectId: string; readonly serverId: string };
/** A target that is the player's own identifier, or one that fits no player, until then or until the next report. */
type AsSent = 'own' | { until: number; report: number };

const keyOf = (address: string, target: string): string => `${address} ${target}`;

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
  // These targets are sent unchanged. A look-up costs as much as the rest of a kick.
  const asSent = new Map<string, AsSent>();
  /** The number of the latest report of each server: what was unknown before it may be a player now. */
  const reports = new Map<string, number>();
  let lastReport = 0;
  /** Stands for the reports that were forgotten. */
  let forgotten = 0;
  const reportOf = (address: string): number => reports.get(address) ?? forgotten;
  const remember = (key: string, known: AsSent): void => {
    if (asSent.size >= MAX_KNOWN) asSent.clear();
    asSent.set(key, known);
  };

  const isAsSent = (key: string, address: string): boolean => {
    const known = asSent.get(key);
    if (known === undefined || known === 'own') return known === 'own';
    return known.until > performance.now() && known.report === reportOf(address);
  };

  /** @throws HubError player_ambiguous */
  const resolve = async <W extends TargetedWish>(request: W): Promise<W> => {
    const { project, serverId } = request;
    const target = targetOf(request);
    if (target === undefined) return request;
    const address = addressOf(project.id, serverId);
    const key = keyOf(address, target);
    // A command that waits is not corrected by a bridge that does not know the player.
    if (request.deliver === undefined && isAsSent(key, address)) return request;
    // Before the look-up, which does not see players that are reported meanwhile.
    const seen = reportOf(address);
    const meant = await store.players.meant(project.id, serverId, target);
    if (meant === 'own') {
      remember(key, 'own');
      return request;
    }
    const [player, ...others] = meant;
    if (others.length > 0) throw ambiguous(target, meant, request);
    if (player !== undefined) return { ...request, player: player.identifier };
    remember(key, { until: performance.now() + UNKNOWN_FOR_MS, report: seen });
    return request;
  };

  return {
    resolve,
    /** Forgets a target that the game server does not know: the next request looks it up again. */
    forget: ({ projectId, serverId, target }: Pick<CommandRow, 'projectId' | 'serverId' | 'target'>): void => {
      if (target !== null) asSent.delete(keyOf(addressOf(projectId, serverId), target));
    },
    /** Players of a server were reported and stored: its unknown targets are looked up again. */
    heard: ({ projectId, serverId }: Address): void => {
      if (reports.size >= MAX_KNOWN) {
        reports.clear();
        forgotten = lastReport;
      }
      lastReport += 1;
      reports.set(addressOf(projectId, serverId), lastReport);
    },
  };
};
export type Targets = ReturnType<typeof createTargets>;
