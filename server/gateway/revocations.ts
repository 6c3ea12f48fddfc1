import type { WebSocket } from 'ws';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import { addressOf } from '../cluster/router.ts';
import type { GatewayDeps } from '../parts/parts.ts';
import type { Connection } from './socket.ts';

/** Overlap of two checks, because clocks differ and commits are slow. */
const OVERLAP_MS = 5_000;

/** Closes sockets whose token, server or project is no longer valid, after changes by any process. */
export const createRevocations = (
  deps: GatewayDeps & {
    connections: ReadonlyMap<WebSocket, Connection>;
    /** Closes the sockets of a server on this node; for a deleted server, empties its queue too. */
    closeHere: (projectId: string, serverId: string, name: 'deleted') => void;
  },
) => {
  const { store, connections, commands, closeHere } = deps;
  let lookedAt = Date.now();
  /** Sockets whose token was rotated and is in its grace period. */
  const inGrace = new Set<Connection>();

  const isGood = (connection: Connection, server: ServerRow): boolean =>
    server.tokenHash === connection.tokenHash ||
    (server.previousTokenHash === connection.tokenHash && (server.previousTokenExpiresAt ?? 0) > Date.now());

  const judge = (
    connection: Connection,
    projects: ReadonlyMap<string, ProjectRow>,
    servers: ReadonlyMap<string, ServerRow>,
  ): void => {
    const { projectId, serverId, tokenHash } = connection;
    const server = servers.get(addressOf(projectId, serverId));
    if (server?.disabled === true || projects.get(projectId)?.disabled === true) connection.close('disabled');
    else if (server !== undefined && !isGood(connection, server)) connection.close('invalid_token');
    if (server?.previousTokenHash !== tokenHash) return;
    connection.graceEndsAt = server.previousTokenExpiresAt ?? 0;
    inGrace.add(connection);
  };

  const endGrace = (): void => {
    for (const connection of inGrace) {
      if (!connections.has(connection.socket)) inGrace.delete(connection);
      else if ((connection.graceEndsAt ?? 0) <= Date.now()) connection.close('invalid_token');
    }
  };

  const check = async (): Promise<void> => {
    // After a clock was set back, changes must not be missed until it has caught up.
    const since = Math.min(lookedAt, Date.now()) - OVERLAP_MS;
    lookedAt = Date.now();
    if (connections.size === 0 && commands.sizes().queued === 0) return;
    const projects = new Map<string, ProjectRow>();
    for (const project of await store.projects.changedSince(since)) projects.set(project.id, project);
    const servers = new Map<string, ServerRow>();
    for (const server of await store.servers.changedSince(since)) {
      servers.set(addressOf(server.projectId, server.id), server);
      if (server.deletingAt !== null) closeHere(server.projectId, server.id, 'deleted');
    }
    if (projects.size > 0 || servers.size > 0) {
      for (const connection of connections.values()) judge(connection, projects, servers);
    }
    endGrace();
  };

  return {
    check,
    /** Adds a socket; its token may be in its grace period. */
    watch: (connection: Connection): void => {
      if (connection.graceEndsAt !== undefined) inGrace.add(connection);
    },
  };
};
