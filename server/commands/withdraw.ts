import { createTurns } from '../../db/port/turns.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ServerRow } from '../../db/queries/servers.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import type { Bus } from '../cluster/bus.ts';
import { addressOf, type Router } from '../cluster/router.ts';
import { HubError } from '../platform/errors.ts';
import { isExactlyOnce } from './catalogue.ts';
import { isUnwritten, type LiveCommands, wireIdOf } from './command.ts';
import type { Queues } from './queue.ts';
import type { Send } from './send.ts';
import { executedOf } from './settle.ts';
import type { Unsent } from './unsent.ts';

type Address = { readonly projectId: string; readonly serverId: string };
type Parts = { store: Pick<Store, 'commands'>; announce: (row: CommandRow) => void; now: () => number };
type RowParts = Pick<Parts, 'store'> & Partial<Parts>;

const NOT_SENT = { code: 'voided', message: 'The game server was deleted before the command was sent.' };
const NOT_ANSWERED = { code: 'indeterminate', message: 'The game server was deleted before its bridge answered.' };

/** Sent commands that are given up at once: other work runs between two steps. */
const AT_ONCE = 100;

/** The rows of a server that is deleted. Without `announce`, hubs read the outcomes from the rows. */
export const createLastRows = ({ store, announce = () => undefined, now = Date.now }: RowParts) => {
  // Several parts of a hub end the commands of a deleted server at the same time.
  const inTurn = createTurns();
  const turnOf = ({ projectId, serverId }: Address): string => addressOf(projectId, serverId);

  const withdrawNow = async (address: Address, createdBefore: number): Promise<string[]> => {
    const which = { ...address, createdBefore, error: NOT_SENT };
    // The bridge may have done more of these than their rows say: they are given up like those that were sent.
    const ids: string[] = [];
    while (true) {
      const rows = await store.commands.askAll({ ...which, at: now() });
      if (rows.length === 0) break;
      ids.push(...rows.map(({ id }) => id));
    }
    while (true) {
      const rows = await store.commands.withdrawAll({ ...which, at: now() });
      if (rows.length === 0) return ids;
      for (const row of rows) announce(row);
      ids.push(...rows.map(({ id }) => id));
    }
  };

  const giveUpNow = async ({ projectId, serverId }: Address, journalId: string | null): Promise<void> => {
    const settle = (rows: readonly CommandRow[], by: string | null): Promise<CommandRow[]> => {
      const ids = rows.map(({ id }) => id);
      return store.commands.indeterminate({ projectId, ids, error: NOT_ANSWERED, journalId: by, at: now() });
    };
    for (;;) {
      const open = await store.commands.openFor(projectId, serverId, AT_ONCE);
      if (open.length === 0) return;
      const journaled = open.filter(({ name }) => isExactlyOnce(name));
      const others = open.filter(({ name }) => !isExactlyOnce(name));
      for (const row of [...(await settle(journaled, journalId)), ...(await settle(others, null))]) announce(row);
    }
  };

  /** Voids unsent commands created before this time (epoch milliseconds), step by step, and returns their ids. */
  const withdraw = (address: Address, createdBefore = Number.MAX_SAFE_INTEGER): Promise<string[]> =>
    inTurn(turnOf(address), () => withdrawNow(address, createdBefore));

  /** Gives up the sent commands, step by step. The bridge with this journal may still report their outcomes. */
  const giveUp = (address: Address, journalId: string | null): Promise<void> =>
    inTurn(turnOf(address), () => giveUpNow(address, journalId));

  return {
    withdraw,
    giveUp,
    /** Voids what was not sent and gives up what was sent. */
    endAll: async ({ projectId, id, journalId }: ServerRow): Promise<void> => {
      const address = { projectId, serverId: id };
      await withdraw(address);
      await giveUp(address, journalId);
    },
  };
};

const alreadyEnded = (row: CommandRow, detail: string): HubError =>
  new HubError('invalid_state', detail, {
    command: { id: row.id, status: row.status },
    executed: executedOf(row.status),
  });

/** Ends commands for callers and operators: takes them back, resolves them, or gives them up with their server. */
export const createWithdraw = ({
  store,
  router,
  bus,
  live,
  queues,
  send,
  join,
  announce,
  unsent,
  now,
}: Parts & {
  store: Pick<Store, 'commands' | 'servers'>;
  router: Router;
  bus: Pick<Bus, 'tell'>;
  live: LiveCommands;
  queues: Queues;
  send: Send;
  unsent: Unsent;
  /** Waits for the outcome of a command that exists. */
  join: (row: CommandRow, waitMs: number) => Promise<CommandRow | undefined>;
}) => {
  const lastRows = createLastRows({ store, announce, now });

  const takeBackAll = async ({ projectId, serverId }: Address, createdBefore?: number): Promise<void> => {
    const address = { projectId, serverId };
    // A command that is only in the queue is inserted first, so that its caller gets a durable answer.
    await Promise.all(queues.waitingFor(address).map((command) => send.keep(command)));
    for (const id of await lastRows.withdraw(address, createdBefore)) live.release(id);
  };

  const unwritten = (address: Address): number => queues.waitingFor(address).filter(isUnwritten).length;

  /** Asks the bridge, wherever it is, not to start it. */
  const sendVoid = async (row: CommandRow): Promise<void> => {
    const { projectId, serverId } = row;
    const id = wireIdOf(row);
    const session = router.find(projectId, serverId);
    if (session !== undefined) return session.send({ type: 'void', id });
    const place = await router.locate(projectId, serverId);
    if (place !== undefined) bus.tell(place.node, { type: 'void', projectId, serverId, id });
  };

  return {
    /** Voids a command that has not started. Settled already: 409 `invalid_state`, unless it was voided before. */
    takeBack: async (row: CommandRow, waitMs: number): Promise<CommandRow> => {
      if (row.status === 'accepted' || row.status === 'waiting') {
        const voided = await unsent.void(row);
        if (voided !== undefined) return voided;
      }
      const sent = await store.commands.requestVoid(row.projectId, row.id);
      if (sent !== undefined) await sendVoid(sent);
      else {
        // It waits again since it was read.
        const voided = await unsent.void(row);
        if (voided !== undefined) return voided;
      }
      const settled = (await join(row, waitMs)) ?? row;
      if (!isSettled(settled.status) || settled.status === 'voided') return settled;
      throw alreadyEnded(settled, `The command has already ended: ${settled.status}.`);
    },
    /** Records an operator's decision about an indeterminate command. Any other command: 409 `invalid_state`. */
    resolve: async (
      row: CommandRow,
      verdict: { applied: boolean; note: string; actor: { keyId: string; name: string } },
    ): Promise<CommandRow> => {
      const resolved = await store.commands.resolve({
        projectId: row.projectId,
        id: row.id,
        ...verdict,
        at: now(),
      });
      if (resolved === undefined) {
        throw alreadyEnded(row, `Only an indeterminate command can be resolved; this one is ${row.status}.`);
      }
      announce(resolved);
      return resolved;
    },
    /** Takes back commands for an earlier server with the same id. This server has had no bridge yet. */
    takeBackOlder: async ({ projectId, id, createdAt }: ServerRow): Promise<void> => {
      const address = { projectId, serverId: id };
      const isIdle = unwritten(address) === 0 && (await store.commands.openCounts(projectId, id)).waiting === 0;
      if (!isIdle) await takeBackAll(address, createdAt);
    },
    /** Takes back the commands that wait for a deleted server. */
    takeBackAll,
    /** The socket of a deleted server has closed: takes back waiting commands, and gives up sent ones. */
    renounce: async ({ projectId, serverId }: Address): Promise<void> => {
      const server = await store.servers.get(projectId, serverId);
      await takeBackAll({ projectId, serverId });
      if (server?.deletingAt != null) await lastRows.giveUp({ projectId, serverId }, server.journalId);
    },
    /** Ends the rows of a server that is deleted. */
    endAll: lastRows.endAll,
    /** How many commands wait here that are not rows yet. */
    unwritten,
  };
};
