import { COMMANDS, isCommandName, orderKey } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { addressOf } from '../cluster/router.ts';
import { createDispatchQueue, type DispatchQueue, type QueueEntry } from './dispatch-queue.ts';
import type { Slip } from './slip.ts';

/** A command this node is busy with: queued, or in flight to a bridge. */
export type Entry = QueueEntry & {
  readonly projectId: string;
  readonly serverId: string;
  readonly name: string;
  readonly expiresAt: number;
  /** Its row. A command is never sent before that is in the database; undefined: it is. */
  readonly slip: Slip | undefined;
  /** The node that waits for its outcome, if it is another one. */
  readonly asker: string | undefined;
  /** The row as it was dispatched, once it is. */
  dispatched: CommandRow | undefined;
  /** Where it waits or is in flight. */
  queue: DispatchQueue<Entry> | undefined;
};

type EntrySource = Pick<CommandRow, 'id' | 'projectId' | 'serverId' | 'name' | 'target' | 'expiresAt'>;

/** Kicks have an order of their own: they wait neither for money nor for each other's players. */
export const entryOf = (row: EntrySource, { slip, asker }: { slip?: Slip; asker?: string | undefined } = {}): Entry => {
  const urgent = isCommandName(row.name) && COMMANDS[row.name].class === 'ephemeral';
  return {
    id: row.id,
    order: orderKey(row.name, row.target),
    urgent,
    projectId: row.projectId,
    serverId: row.serverId,
    name: row.name,
    expiresAt: row.expiresAt,
    slip,
    asker,
    dispatched: undefined,
    queue: undefined,
  };
};

/**
 * One queue per game server that has anything to do, and every entry by its command id. `windowOf`: how many commands
 * may be in flight to a server now.
 */
export const createLanes = ({
  start,
  windowOf,
}: {
  start: (entry: Entry) => void;
  windowOf: (projectId: string, serverId: string) => number;
}) => {
  const queues = new Map<string, DispatchQueue<Entry>>();
  const entries = new Map<string, Entry>();

  const laneOf = (projectId: string, serverId: string): DispatchQueue<Entry> => {
    const address = addressOf(projectId, serverId);
    const found = queues.get(address);
    if (found !== undefined) return found;
    const queue = createDispatchQueue<Entry>({ start, window: windowOf(projectId, serverId) });
    queues.set(address, queue);
    return queue;
  };

  return {
    laneOf,
    /** The queue if there is one; asking does not make it. */
    peek: (projectId: string, serverId: string) => queues.get(addressOf(projectId, serverId)),
    /** A socket is there, with its window; what waits begins to flow. */
    open: (projectId: string, serverId: string): void =>
      queues.get(addressOf(projectId, serverId))?.open(windowOf(projectId, serverId)),
    find: (id: string): Entry | undefined => entries.get(id),
    /** It has a place in this queue. */
    remember: (entry: Entry, queue: DispatchQueue<Entry>): void => {
      entry.queue = queue;
      entries.set(entry.id, entry);
    },
    isFlying: ({ queue, id }: Entry): boolean => queue?.isFlying(id) === true,
    requeue: (entry: Entry): void => {
      entry.queue = laneOf(entry.projectId, entry.serverId);
      entries.set(entry.id, entry);
      entry.queue.requeue(entry);
    },
    /** The bridge is done with a command, or it will not be sent: its place is free. */
    release: (id: string): void => {
      const entry = entries.get(id);
      if (entry === undefined) return;
      entries.delete(id);
      entry.queue?.release(id);
    },
    /** The socket is gone: what was in flight is forgotten here (the row remembers), what waits keeps waiting. */
    close: (projectId: string, serverId: string) => {
      const address = addressOf(projectId, serverId);
      const queue = queues.get(address);
      const lost = queue?.close() ?? [];
      for (const { id } of lost) entries.delete(id);
      if (queue?.sizes().waiting === 0) queues.delete(address);
      return lost;
    },
    all: (): IterableIterator<DispatchQueue<Entry>> => queues.values(),
    /** Drops queues with nothing to do: the next command makes another. */
    prune: (): void => {
      for (const [address, queue] of queues) {
        const { waiting, flying } = queue.sizes();
        if (waiting === 0 && flying === 0) queues.delete(address);
      }
    },
    totals: () => {
      const totals = { waiting: 0, flying: 0 };
      for (const queue of queues.values()) {
        const sizes = queue.sizes();
        totals.waiting += sizes.waiting;
        totals.flying += sizes.flying;
      }
      return totals;
    },
  };
};
export type Lanes = ReturnType<typeof createLanes>;
