import type { CommandRow } from '../../../db/queries/commands/row.ts';
import type { Principal } from '../../auth/credentials.ts';
import type { RestDeps } from '../context.ts';

export type TargetName = (row: CommandRow) => string | undefined;

/**
 * The current names of the players that commands were for, for keys that may read players. A deleted player has no
 * name. Takes at most a page of rows.
 */
export const targetNames = async (
  { store }: Pick<RestDeps, 'store'>,
  { project, scopes }: Principal,
  rows: readonly CommandRow[],
): Promise<TargetName> => {
  if (!scopes.has('players:read')) return () => undefined;
  const targets = new Set(rows.flatMap(({ target }) => target ?? []));
  const found = await store.players.names(project.id, [...targets]);
  const names = new Map(found.map(({ serverId, identifier, name }) => [`${serverId} ${identifier}`, name]));
  return ({ serverId, target }) => names.get(`${serverId} ${target}`);
};
