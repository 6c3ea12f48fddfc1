import type { Kind } from '../commands/kinds.ts';

/** Players whom a person chose on another page, for the form of a batch. */
export type ChosenTargets = { kind: Kind; players: readonly { serverId: string; identifier: string }[] };

let chosen: ChosenTargets | undefined;

/** Keeps the players until the form takes them. An address would be too short for thousands. */
export const handOver = (targets: ChosenTargets): void => {
  chosen = targets;
};

/** The players for the form, once. */
export const takeOver = (): ChosenTargets | undefined => {
  const taken = chosen;
  chosen = undefined;
  return taken;
};

/** The identifiers of each server. */
export const byServer = ({ players }: Pick<ChosenTargets, 'players'>): Map<string, string[]> => {
  const servers = new Map<string, string[]>();
  for (const { serverId, identifier } of players) {
    const own = servers.get(serverId);
    if (own === undefined) servers.set(serverId, [identifier]);
    else own.push(identifier);
  }
  return servers;
};
