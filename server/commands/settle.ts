import type { Logger } from 'pino';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import type { Bus } from '../cluster/bus.ts';
import type { Router } from '../cluster/router.ts';
import type { Executed } from '../platform/errors.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Announce } from './announce.ts';
import { isExactlyOnce } from './catalogue.ts';
import { type LiveCommands, readWireId } from './command.ts';
import { type ResultMessage, readOutcome, type StoredOutcome } from './outcome.ts';
import { createRoundEnds, type RoundOf } from './round-ends.ts';
import { createStrays } from './strays.ts';

type CommandStatus = CommandRow['status'];

const EXECUTED: Record<CommandStatus, Executed> = {
  waiting: 'no',
  accepted: 'no',
  dispatched: 'unknown',
  succeeded: 'yes',
  failed: 'no',
  rejected: 'no',
  voided: 'no',
  expired: 'no',
  indeterminate: 'unknown',
  resolved_applied: 'yes',
  resolved_not_applied: 'no',
};

/** Whether a command in this status took effect. */
export const executedOf = (status: CommandStatus): Executed => EXECUTED[status];

/** The same of a row. The bridge may have carried out an open command of a restored backup. */
export const executedOfRow = ({ status, restoredAt }: Pick<CommandRow, 'status' | 'restoredAt'>): Executed =>
  restoredAt !== null && !isSettled(status) ? 'unknown' : executedOf(status);

type Known = RoundOf &
  Pick<CommandRow, 'name' | 'params'> & {
    /** The row as it was dispatched, if the command is in flight. */
    dispatched?: CommandRow;
    asker?: string | undefined;
  };
type Source = { readonly projectId: string; readonly serverId: string; readonly journalId: string };

/** Whether a result belongs to a round that has ended: the command waits, or has left again. */
const isOfEarlierRound = ({ round: current, status }: Known, round: number | null): boolean =>
  current !== round || status === 'waiting' || status === 'accepted';

/**
 * The durable end of a command. The first result settles the row, whichever socket of the server it comes from. It also
 * settles a row that the hub gave up, if it comes from the journal that the command was sent to. Later results change
 * nothing. Results of unknown commands are stored apart.
 */
export const createSettle = ({
  store,
  router,
  live,
  bus,
  announce,
  postponed,
  metrics,
  log,
  now,
}: {
  store: Pick<Store, 'commands' | 'strayResults'>;
  router: Pick<Router, 'find'>;
  live: LiveCommands;
  bus: Pick<Bus, 'tell'>;
  announce: Announce;
  /** A command that may wait waits again. */
  postponed: (row: CommandRow) => void;
  metrics: Metrics;
  log: Logger;
  now: () => number;
}) => {
  const endOf = createRoundEnds({ store, router, postponed, now });
  const keepStray = createStrays({ store, metrics, log, now });

  /** The command, if it is in flight to this server. */
  const flyingTo = ({ projectId, serverId }: Source, id: string): Known | undefined => {
    const command = live.find(id);
    if (command?.place !== 'in flight' || command.projectId !== projectId || command.serverId !== serverId) return;
    const { dispatched, asker } = command;
    if (dispatched === undefined) return undefined;
    return { ...dispatched, dispatched, asker };
  };

  /** The command, if it was sent to this server: an unsent command cannot have an outcome. */
  const handedTo = async (source: Source, id: string): Promise<Known | undefined> => {
    const row = await store.commands.get(source.projectId, id);
    if (row?.serverId !== source.serverId || (row.status === 'accepted' && row.round === null)) return undefined;
    return row;
  };

  /** Writes an outcome once. */
  const write = async (
    { projectId, serverId, journalId }: Source,
    id: string,
    { name, status: read, dispatched, asker }: Known,
    { status, result, error }: StoredOutcome,
  ): Promise<void> => {
    const durable = isExactlyOnce(name);
    const settlement = { projectId, serverId, id, status, result, error, settledAt: now() };
    const isGivenUp = read === 'indeterminate';
    if (!isGivenUp && isSettled(read)) return;
    const settled = isGivenUp ? undefined : await store.commands.settle(settlement, { durable }, dispatched);
    // The row may have been given up since it was read.
    const row = settled ?? (await store.commands.settleGivenUp({ ...settlement, journalId }, { durable }));
    if (row === undefined) return;
    // First of all, so that the asking node need not read the row.
    if (asker !== undefined) bus.tell(asker, { type: 'settled', row });
    announce(row, { isCounted: settled !== undefined });
  };

  return {
    /** Settles by a `result` frame. Resolves when the outcome is durable, so the frame may be acknowledged. */
    settle: async (source: Source, message: ResultMessage): Promise<void> => {
      const { id, round } = readWireId(message.id);
      const command = flyingTo(source, id) ?? (await handedTo(source, id));
      const outcome = command && readOutcome(command, message);
      if (command === undefined || outcome === undefined || isOfEarlierRound(command, round)) {
        // A round that had no effect is over: a bridge repeats its answer until it is acknowledged.
        if (outcome === undefined || executedOf(outcome.status) !== 'no') await keepStray(source, message);
        return;
      }
      live.release(id);
      const end = await endOf(command, message, outcome);
      if (end !== undefined) await write(source, id, command, end);
    },
  };
};
