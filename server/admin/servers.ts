import { setTimeout as sleep } from 'node:timers/promises';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { NewServer, ServerPatch, ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import { hashSecret, newSecret, secretPrefix } from '../auth/credentials.ts';
import { TUNING } from '../platform/config.ts';
import { HubError } from '../platform/errors.ts';

const LOOK_EVERY_MS = 20;
/** A deletion that takes longer is continued by another process: the one that began it has died. */
const STALE_AFTER_MS = 60_000;

/** The refusal of a server or key beyond those that its project may have. */
export const quotaExceeded = (slug: string, most: number, kind: 'servers' | 'keys'): HubError =>
  new HubError(
    'quota_exceeded',
    `The project may have ${most} ${kind}. ` +
      `Remove one, or ask the hub's operator for: causeway project set ${slug} --max-${kind} <n>`,
  );

/** The row of a new server, and its bridge token, of which only a hash is stored. */
export const newServer = (
  projectId: string,
  { id, name }: { id: string; name: string },
): { row: NewServer; token: string } => {
  const token = newSecret('bridge_token');
  const at = Date.now();
  const row = {
    projectId,
    id,
    name,
    tokenPrefix: secretPrefix(token),
    tokenHash: hashSecret(token),
    createdAt: at,
    updatedAt: at,
  };
  return { row, token };
};

/** A new bridge token for a server. The old one works for `graceSeconds` more. */
const rotated = (
  { tokenHash }: Pick<ServerRow, 'tokenHash'>,
  graceSeconds: number,
): { token: string; patch: ServerPatch } => {
  const token = newSecret('bridge_token');
  const previous =
    graceSeconds === 0
      ? { previousTokenHash: null, previousTokenExpiresAt: null }
      : { previousTokenHash: tokenHash, previousTokenExpiresAt: Date.now() + graceSeconds * 1000 };
  return { token, patch: { tokenHash: hashSecret(token), tokenPrefix: secretPrefix(token), ...previous } };
};

/** Creates, changes, rotates and deletes game servers: the only implementation, for REST and the command line. */
export const serverAdmin = ({
  store,
  endCommands,
  closeServer = () => undefined,
}: {
  store: Pick<Store, 'servers' | 'sessions'>;
  /** Ends the commands of a server that is deleted. */
  endCommands: (server: ServerRow) => Promise<void>;
  /** Closes the server's sockets. Without it, each hub reads the change from the row within a second. */
  closeServer?: (projectId: string, serverId: string, name: 'invalid_token' | 'disabled' | 'deleted') => void;
}) => {
  /** Waits until the hub that holds the bridge has closed it. After the wait, a hub that has not can send nothing. */
  const disconnected = async ({ projectId, id }: ServerRow): Promise<void> => {
    const giveUpAt = performance.now() + TUNING.noticedWithinMs;
    while ((await store.sessions.get(projectId, id))?.connected === true && performance.now() < giveUpAt) {
      await sleep(LOOK_EVERY_MS);
    }
  };

  const remove = async ({ projectId, id }: Pick<ServerRow, 'projectId' | 'id'>): Promise<void> => {
    const server = await store.servers.update(projectId, id, { deletingAt: Date.now() }, Date.now());
    if (server === undefined) return;
    closeServer(projectId, id, 'deleted');
    await disconnected(server);
    await endCommands(server);
    await store.servers.remove(projectId, id);
    // A request that passed the checks before the deletion began may have stored its command since.
    await endCommands(server);
  };

  return {
    /**
     * Undefined if the project has a server of this id. The quota holds for concurrent callers, on all nodes.
     * @throws HubError quota_exceeded
     */
    create: async (
      { id: projectId, slug, maxServers }: ProjectRow,
      named: { id: string; name: string },
    ): Promise<{ row: ServerRow; token: string } | undefined> => {
      const { row, token } = newServer(projectId, named);
      const stored = await store.servers.createWithin(row, maxServers);
      if (stored === 'full') throw quotaExceeded(slug, maxServers, 'servers');
      const created = stored === 'exists' ? undefined : await store.servers.get(projectId, row.id);
      return created && { row: created, token };
    },
    /** Renames, disables or enables a server; a disabled one loses its bridge. Undefined if it was deleted. */
    change: async (
      { projectId, id }: ServerRow,
      patch: Pick<ServerPatch, 'name' | 'disabled'>,
    ): Promise<ServerRow | undefined> => {
      const changed = await store.servers.update(projectId, id, patch, Date.now());
      if (changed?.disabled === true) closeServer(projectId, id, 'disabled');
      return changed;
    },
    /** Replaces the bridge token. The old one works for `graceSeconds` more. */
    rotate: async (row: ServerRow, graceSeconds: number): Promise<string> => {
      const { token, patch } = rotated(row, graceSeconds);
      await store.servers.update(row.projectId, row.id, patch, Date.now());
      if (graceSeconds === 0) closeServer(row.projectId, row.id, 'invalid_token');
      return token;
    },
    /**
     * Deletes a server with its players. The hubs void the commands that were not sent. Sent commands become
     * indeterminate until the bridge comes back with its journal.
     */
    remove,
    /** Continues deletions whose process has died. */
    continueRemovals: async (): Promise<void> => {
      for (const server of await store.servers.deletingBefore(Date.now() - STALE_AFTER_MS)) await remove(server);
    },
  };
};
export type ServerAdmin = ReturnType<typeof serverAdmin>;
