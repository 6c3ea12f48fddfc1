import type { Kind, Typed } from '../commands/kinds.ts';
import { createStore } from '../store.ts';

/** Players whom a person chose on another page, for the form of a batch, and what the form begins with. */
export type ChosenTargets = {
  kind: Kind;
  /** The names are those of rows that were loaded. */
  players: readonly { serverId: string; identifier: string; name?: string }[];
  typed?: Typed;
  /** What the players have in common. */
  label?: string;
};

const chosen = createStore<ChosenTargets | undefined>(undefined);

/** Keeps the players until the form takes them. An address would be too short for thousands. */
export const handOver = (targets: ChosenTargets): void => chosen.set(targets);

/** What waits for the form. */
export const useHandedOver = chosen.use;

/** The players for the form, once. */
export const takeOver = (): ChosenTargets | undefined => {
  const taken = chosen.get();
  chosen.set(undefined);
  return taken;
};

export const byServer = ({ players }: Pick<ChosenTargets, 'players'>): Map<string, string[]> => {
  const servers = new Map<string, string[]>();
  for (const { serverId, identifier } of players) {
    const own = servers.get(serverId);
    if (own === undefined) servers.set(serverId, [identifier]);
    else own.push(identifier);
  }
  return servers;
};
