import type { Logger } from 'pino';
import { isCustomName } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import type { Bus } from '../cluster/bus.ts';
import type { Events } from '../cluster/events.ts';
import type { Metrics } from '../platform/metrics.ts';
import { isExactlyOnce } from './dispatch.ts';
import type { Lanes } from './lanes.ts';
import { type ResultMessage, readOutcome, type StoredOutcome } from './outcome.ts';
import { createStrays } from './strays.ts';
import type { Waiters } from './waiters.ts';

type Known = Pick<CommandRow, 'name' | 'params'> & {
  /** As its row was read; undefined: it is in flight. */
  status?: CommandRow['status'];
  dispatched?: CommandRow | undefined;
  asker?: string | undefined;
};
type Source = {
  readonly projectId: string;
  readonly serverId: string;
  readonly journalId: string;
  readonly lostSince?: number | undefined;
};

/** Tells everybody who wants to know that a command has settled; the row is already durable. */
export const createAnnounce =
  ({ waiters, events, metrics, log }: { waiters: Waiters; events: Events; metrics: Metrics; log: Logger }) =>
  (row: CommandRow): void => {
    if (row.status === 'indeterminate' && isExactlyOnce(row.name)) {
      log.error({ commandId: row.id, serverId: row.serverId, message: row.error?.message }, 'indeterminate');
    }
    // Labels are from a closed list, and game servers choose these names.
    const name = isCustomName(row.name) ? 'custom' : row.name;
    metrics.commands.inc({ name, status: row.status });
    if (row.settledAt !== null) {
      metrics.commandSeconds.observe({ name }, (row.settledAt - row.createdAt) / 1000);
    }
    events.publish(row.projectId, {
      type: 'command.settled',
      serverId: row.serverId,
      data: { id: row.id, name: row.name, target: row.target, status: row.status },
    });
    waiters.wake(row);
  };

/**
 * The durable end of a command. A result is a fact from whichever socket of that server it comes: the first one
 * settles the row, also one that the hub gave up if the journal is the one it was sent to. Every later result changes
 * nothing, and one nobody asked for is kept apart.
 */
export const createSettle = ({
  store,
  lanes,
  bus,
  announce,
  metrics,
  log,
  now,
}: {
  store: Pick<Store, 'commands' | 'strayResults'>;
  lanes: Lanes;
  bus: Pick<Bus, 'tell'>;
  announce: (row: CommandRow) => void;
  metrics: Metrics;
  log: Logger;
  now: () => number;
}) => {
  const keepStray = createStrays({ store, metrics, log, now });

  /** The command, if it is on its way to this server. */
  const flyingTo = ({ projectId, serverId }: Source, id: string): Known | undefined => {
    const entry = lanes.find(id);
    const isHere = entry?.projectId === projectId && entry.serverId === serverId;
    const row = isHere && lanes.isFlying(entry) ? entry.dispatched : undefined;
    return row && { name: row.name, params: row.params, dispatched: row, asker: entry?.asker };
  };

  /** The command, if this server has it in its hands: what was never sent has no outcome yet. */
  const handedTo = async (source: Source, id: string): Promise<Known | undefined> => {
    const row = await store.commands.get(source.projectId, id);
    if (row?.serverId !== source.serverId || row.status === 'accepted') return undefined;
    return { name: row.name, params: row.params, status: row.status };
  };

  /** Writes an outcome once. Undefined: it was settled before. */
  const write = async (
    { projectId, serverId, journalId }: Source,
    id: string,
    { name, dispatched, asker, ...read }: Known,
    { status, result, error }: StoredOutcome,
  ) => {
    const durable = isExactlyOnce(name);
    const settlement = { projectId, serverId, id, status, result, error, settledAt: now() };
    const isGivenUp = read.status === 'indeterminate';
    if (!isGivenUp && read.status !== undefined && isSettled(read.status)) return undefined;
    const settled = isGivenUp ? undefined : await store.commands.settle(settlement, { durable }, dispatched);
    // It may have been given up since it was read.
    const row = settled ?? (await store.commands.settleGivenUp({ ...settlement, journalId }, { durable }));
    if (row === undefined) return undefined;
    // Before everybody: whoever waits need not ask for the row then.
    if (asker !== undefined) bus.tell(asker, { type: 'settled', row });
    announce(row);
    return row;
  };

  return {
    write,
    /**
     * Takes a `result` frame in. Resolves when the outcome is durable (then it may be acknowledged); with the row if this
     * frame settled it.
     */
    settle: async (source: Source, message: ResultMessage): Promise<CommandRow | undefined> => {
      const command = flyingTo(source, message.id) ?? (await handedTo(source, message.id));
      if (command === undefined) {
        await keepStray(source, message);
        return undefined;
      }
      lanes.release(message.id);
      return write(source, message.id, command, readOutcome(command, message));
    },
  };
};
