import type { ProjectRow } from '../../db/projects.ts';
import type { ServerRow } from '../../db/servers.ts';
import type { Store } from '../../db/store.ts';
import { type Connection, close } from './connection.ts';

/** Rows changed this long before the last look are looked at again: clocks and slow commits overlap. */
const OVERLAP_MS = 5_000;

/** Closes sockets whose token, server or project is no longer good, whoever changed it: this hub or the command line. */
export const createRevocations = ({
  store,
  connections,
  now,
}: {
  store: Pick<Store, 'servers' | 'projects'>;
  connections: ReadonlySet<Connection>;
  now: () => number;
}) => {
  let lookedAt = now();

  const isGood = (connection: Connection, server: ServerRow): boolean =>
    server.tokenHash === connection.tokenHash ||
    (server.previousTokenHash === connection.tokenHash && (server.previousTokenExpiresAt ?? 0) > now());

  const check = async (): Promise<void> => {
    // A clock that was set back must not hide what is changed until it has caught up.
    const since = Math.min(lookedAt, now()) - OVERLAP_MS;
    lookedAt = now();
    if (connections.size === 0) return;
    const projects = new Map<string, ProjectRow>();
    for (const project of await store.projects.changedSince(since)) projects.set(project.id, project);
    const servers = new Map<string, ServerRow>();
    for (const server of await store.servers.changedSince(since))
      servers.set(`${server.projectId}/${server.id}`, server);
    for (const connection of connections) {
      const server = servers.get(`${connection.project.id}/${connection.server.id}`);
      if (server?.disabled === true || projects.get(connection.project.id)?.disabled === true) {
        close(connection, 'disabled');
      } else if (server !== undefined && !isGood(connection, server)) close(connection, 'invalid_token');
      else if (connection.graceEndsAt !== undefined && connection.graceEndsAt <= now()) {
        close(connection, 'invalid_token');
      }
      if (server !== undefined && server.previousTokenHash === connection.tokenHash) {
        connection.graceEndsAt = server.previousTokenExpiresAt ?? 0;
      }
    }
  };

  return { check };
};
