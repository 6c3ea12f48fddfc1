import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import { createLastRows } from './withdraw.ts';

/** Every hub checks for deletions more often than this. */
const NOTICED_WITHIN_MS = 1_500;
const LOOK_EVERY_MS = 20;
/** A deletion that takes longer is continued by another process: the one that began it has died. */
const STALE_AFTER_MS = 60_000;

type Deps = {
  store: Pick<Store, 'commands' | 'servers' | 'sessions'>;
  /** Closes the server's sockets and empties its queues. Without it, each hub reads the deletion from the row. */
  tellHubs?: (server: ServerRow) => void;
  announce?: (row: CommandRow) => void;
  now?: () => number;
};

/** Deletes game servers: the only implementation, for REST, the panel and the command line. */
export const createDeletion = ({ store, tellHubs, announce = () => undefined, now = Date.now }: Deps) => {
  const lastRows = createLastRows({ store, announce, now });

  /** Waits until the hub that holds the bridge has closed it. After the wait, a hub that has not can send nothing. */
  const disconnected = async ({ projectId, id }: ServerRow): Promise<void> => {
    const giveUpAt = performance.now() + NOTICED_WITHIN_MS;
    while ((await store.sessions.get(projectId, id))?.connected === true && performance.now() < giveUpAt) {
      await sleep(LOOK_EVERY_MS);
    }
  };

  const endCommands = async ({ projectId, id, journalId }: ServerRow): Promise<void> => {
    const address = { projectId, serverId: id };
    await lastRows.withdraw(address);
    await lastRows.giveUp(address, journalId);
  };

  const run = async ({ projectId, id }: Pick<ServerRow, 'projectId' | 'id'>): Promise<void> => {
    const server = await store.servers.update(projectId, id, { deletingAt: now() }, now());
    if (server === undefined) return;
    tellHubs?.(server);
    await disconnected(server);
    await endCommands(server);
    await store.servers.remove(projectId, id);
    // A request that passed the checks before the deletion began may have stored its command since.
    await endCommands(server);
  };

  return {
    /**
     * Deletes a server with its players. The hubs void the commands that were not sent. Sent commands become
     * indeterminate until the bridge comes back with its journal.
     */
    run,
    /** Continues deletions whose process has died. */
    carryOn: async (): Promise<void> => {
      for (const server of await store.servers.deletingBefore(now() - STALE_AFTER_MS)) await run(server);
    },
  };
};
export type Deletion = ReturnType<typeof createDeletion>;
