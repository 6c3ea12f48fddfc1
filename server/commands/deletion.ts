import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import { createLastRows } from './withdraw.ts';

/** Every hub looks for deletions more often than this. */
const NOTICED_WITHIN_MS = 1_500;
const LOOK_EVERY_MS = 20;
/** A deletion that has not ended after this long is carried on: the process that began it has died. */
const STALE_AFTER_MS = 60_000;

type Deps = {
  store: Pick<Store, 'commands' | 'servers' | 'sessions'>;
  /** Closes the server's sockets and empties its queues; without it the hubs find out from the row. */
  tellHubs?: (server: ServerRow) => void;
  announce?: (row: CommandRow) => void;
  now?: () => number;
};

/** The one way in which a game server is deleted, by REST, the panel and the command line. */
export const createDeletion = ({ store, tellHubs, announce = () => undefined, now = Date.now }: Deps) => {
  const lastRows = createLastRows({ store, announce, now });

  /** Until the hub that holds the bridge has closed it. A hub that does not is overtaken: it can send nothing any more. */
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
    // A request that had passed the hub's checks before the mark may have stored its command meanwhile.
    await endCommands(server);
  };

  return {
    /**
     * Deletes a server with its players. The hubs take back what was not sent; what was sent is indeterminate until the
     * bridge comes back with its journal.
     */
    run,
    /** Carries deletions on whose process has died. */
    carryOn: async (): Promise<void> => {
      for (const server of await store.servers.deletingBefore(now() - STALE_AFTER_MS)) await run(server);
    },
  };
};
export type Deletion = ReturnType<typeof createDeletion>;
