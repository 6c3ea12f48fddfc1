import type { CommandRow } from '../../db/queries/commands/row.ts';
import { addressOf, type Router } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';

/** Lets the nodes that hold the bridges ask about these rows. A bridge that is away is asked when it is back. */
export const createAsked =
  ({
    router,
    background,
    pickUp,
    handOn,
  }: {
    router: Pick<Router, 'find'>;
    background: Background;
    /** Asks the bridges of this node. */
    pickUp: () => Promise<void>;
    /** Tells the node that holds the bridge. */
    handOn: (address: { projectId: string; serverId: string }) => Promise<boolean>;
  }) =>
  (rows: readonly CommandRow[]): void => {
    const servers = new Map(rows.map((row) => [addressOf(row.projectId, row.serverId), row]));
    const away = [...servers.values()].filter(({ projectId, serverId }) => !router.find(projectId, serverId));
    if (away.length < servers.size) background.run('ask about restored commands', pickUp);
    for (const row of away) background.run('ask about restored commands', () => handOn(row));
  };
export type Asked = ReturnType<typeof createAsked>;
