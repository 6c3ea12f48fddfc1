import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import type { Store } from '../../db/store.ts';
import { type Dispatch, isExactlyOnce } from './dispatch.ts';
import type { Lanes } from './lanes.ts';

type Address = { readonly projectId: string; readonly serverId: string };
type Parts = { store: Pick<Store, 'commands'>; announce: (row: CommandRow) => void; now: () => number };

const NOT_SENT = { code: 'voided', message: 'The game server was deleted before the command was sent.' };
const NOT_ANSWERED = { code: 'indeterminate', message: 'The game server was deleted before its bridge answered.' };

/** The rows of a server that is deleted. */
export const createLastRows = ({ store, announce, now }: Parts) => ({
  /** Takes back what was not sent and was made before (epoch milliseconds); the rows that changed. */
  withdraw: async (address: Address, createdBefore = Number.MAX_SAFE_INTEGER): Promise<CommandRow[]> => {
    const rows = await store.commands.withdrawAll({ ...address, createdBefore, error: NOT_SENT, at: now() });
    for (const row of rows) announce(row);
    return rows;
  },
  /** Gives up what was sent. The bridge with this journal may still report how it ended. */
  giveUp: async ({ projectId, serverId }: Address, journalId: string | null): Promise<void> => {
    const settle = (rows: readonly CommandRow[], by: string | null): Promise<CommandRow[]> => {
      const ids = rows.map(({ id }) => id);
      return store.commands.indeterminate({ projectId, ids, error: NOT_ANSWERED, journalId: by, at: now() });
    };
    for (;;) {
      const open = await store.commands.openFor(projectId, serverId);
      if (open.length === 0) return;
      const journaled = open.filter(({ name }) => isExactlyOnce(name));
      const others = open.filter(({ name }) => !isExactlyOnce(name));
      for (const row of [...(await settle(journaled, journalId)), ...(await settle(others, null))]) announce(row);
    }
  },
});

/** Ends on this node what a server that is deleted has left: in its queue and in the rows. */
export const createRenounce = ({
  store,
  lanes,
  dispatch,
  announce,
  now,
}: Parts & { store: Pick<Store, 'commands' | 'servers'>; lanes: Lanes; dispatch: Dispatch }) => {
  const lastRows = createLastRows({ store, announce, now });
  const waitingFor = ({ projectId, serverId }: Address) => [...(lanes.peek(projectId, serverId)?.waiting() ?? [])];

  const takeBackAll = async ({ projectId, serverId }: Address, createdBefore?: number): Promise<void> => {
    const address = { projectId, serverId };
    // A command that is only in the queue becomes a row first: its caller gets an answer that lasts.
    await Promise.all(waitingFor(address).map((entry) => dispatch.keep(entry)));
    for (const { id } of await lastRows.withdraw(address, createdBefore)) lanes.release(id);
  };

  const unwritten = (address: Address): number =>
    waitingFor(address).filter(({ slip }) => slip?.isBegun() === false).length;

  return {
    /** Takes back what was asked of an earlier server of the id of this one, which had no bridge yet. */
    takeBackOlder: async ({ projectId, id, createdAt }: ServerRow): Promise<void> => {
      const address = { projectId, serverId: id };
      const isIdle = unwritten(address) === 0 && (await store.commands.openCounts(projectId, id)).waiting === 0;
      if (!isIdle) await takeBackAll(address, createdAt);
    },
    /** Takes back what waits for a server that is deleted. */
    takeBackAll,
    /** Its socket is closed: what waits is taken back, what was sent is given up. */
    renounce: async ({ projectId, serverId }: Address): Promise<void> => {
      const server = await store.servers.get(projectId, serverId);
      await takeBackAll({ projectId, serverId });
      if (server?.deletingAt != null) await lastRows.giveUp({ projectId, serverId }, server.journalId);
    },
    /** How many commands wait here that are not rows yet. */
    unwritten,
  };
};
