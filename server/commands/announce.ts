import type { Logger } from 'pino';
import { isCustomName } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Events } from '../cluster/events.ts';
import type { Metrics } from '../platform/metrics.ts';
import { isExactlyOnce } from './catalogue.ts';
import type { LiveCommands } from './command.ts';

/**
 * Announces a settled command to callers, event streams, metrics and log. The row is durable before. A command that the
 * hub gave up is announced again when its bridge reports the outcome; metrics and charts count it once (`isCounted`).
 */
export const createAnnounce =
  ({
    live,
    events,
    metrics,
    log,
    count,
    ended,
  }: {
    live: LiveCommands;
    events: Events;
    metrics: Metrics;
    log: Logger;
    /** For the charts. */
    count: (row: CommandRow) => void;
    /** The next waiting command of the player may leave. */
    ended: (row: CommandRow) => void;
  }) =>
  (row: CommandRow, { isCounted = true }: { isCounted?: boolean } = {}): void => {
    if (row.status === 'indeterminate' && isExactlyOnce(row.name)) {
      log.error(
        { commandId: row.id, serverId: row.serverId, message: row.error?.message },
        'command is indeterminate: an operator must resolve it',
      );
    }
    if (isCounted) {
      // Metric labels come from a closed list; game servers choose the names of custom commands.
      const name = isCustomName(row.name) ? 'custom' : row.name;
      metrics.commands.inc({ name, status: row.status });
      count(row);
      if (row.settledAt !== null) {
        metrics.commandSeconds.observe({ name }, (row.settledAt - row.createdAt) / 1000);
      }
    }
    // The events of a batch stand for those of its commands.
    if (row.batchId === null) {
      events.publish(row.projectId, {
        type: 'command.settled',
        serverId: row.serverId,
        data: { id: row.id, name: row.name, target: row.target, status: row.status },
      });
    }
    live.wake(row);
    if (row.deliver !== null) ended(row);
  };
export type Announce = ReturnType<typeof createAnnounce>;
