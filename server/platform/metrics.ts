import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { COMMANDS } from '../../bridge-protocol/index.ts';
import { COMMAND_STATUSES, isSettled } from '../../db/schema/commands.ts';

/** All metrics of the hub. Labels come from closed lists: never players or ids. */
export const createMetrics = () => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const commands = new Counter({
    name: 'causeway_commands_settled_total',
    help: 'Commands by name and how they ended.',
    labelNames: ['name', 'status'] as const,
    registers,
  });
  // Series start at 0: an alert on growth would miss a series that begins with 1.
  for (const name of [...Object.keys(COMMANDS), 'custom'])
    for (const status of COMMAND_STATUSES.filter(isSettled)) commands.inc({ name, status }, 0);
  return {
    registry,
    requests: new Histogram({
      name: 'causeway_http_request_duration_seconds',
      help: 'Time to answer a request, by route and status.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    refusals: new Counter({
      name: 'causeway_refused_requests_total',
      help: 'Requests without a good secret that are left out of the access log: no key, or too many from one address.',
      labelNames: ['code'] as const,
      registers,
    }),
    commands,
    commandSeconds: new Histogram({
      name: 'causeway_command_duration_seconds',
      help: 'Time from the request to the durable outcome.',
      labelNames: ['name'] as const,
      buckets: [0.002, 0.01, 0.05, 0.2, 1, 5, 30],
      registers,
    }),
    strayResults: new Counter({
      name: 'causeway_stray_results_total',
      help: 'Results of commands that this hub does not know.',
      registers,
    }),
    webhooks: new Counter({
      name: 'causeway_shop_webhooks_total',
      help: 'Webhooks of shops by kind and what the hub did with them.',
      labelNames: ['kind', 'outcome'] as const,
      registers,
    }),
    shopLines: new Counter({
      name: 'causeway_shop_lines_for_staff_total',
      help: 'Lines of shop orders that a member of the staff has to decide.',
      labelNames: ['state'] as const,
      registers,
    }),
    schedulesLate: new Gauge({
      name: 'causeway_schedules_late_seconds',
      help: 'How late the latest of the planned runs was that the hub took up last; 0: none was due.',
      registers,
    }),
    eventStreams: new Gauge({ name: 'causeway_event_streams_open', help: 'Readers of the event stream.', registers }),
    bridges: new Gauge({ name: 'causeway_bridges_connected', help: 'Welcomed bridges.', registers }),
    waiting: new Gauge({
      name: 'causeway_commands_waiting',
      help: 'Requests that wait for an outcome.',
      registers,
    }),
    inFlight: new Gauge({
      name: 'causeway_commands_in_flight',
      help: 'Commands sent and not settled.',
      registers,
    }),
    queued: new Gauge({
      name: 'causeway_commands_queued',
      help: 'Commands accepted and not sent.',
      registers,
    }),
    closes: new Counter({
      name: 'causeway_bridge_closes_total',
      help: 'Closed bridge sockets by reason.',
      labelNames: ['reason'] as const,
      registers,
    }),
    frames: new Counter({
      name: 'causeway_bad_frames_total',
      help: 'Frames that were not messages, by problem.',
      labelNames: ['code'] as const,
      registers,
    }),
    lastBackup: new Gauge({
      name: 'causeway_last_backup_timestamp_seconds',
      help: 'Time of the last good backup into BACKUP_FOLDER; 0: none.',
      registers,
    }),
    playersSynced: new Counter({
      name: 'causeway_players_synced_total',
      help: 'Player records written.',
      registers,
    }),
  };
};
export type Metrics = ReturnType<typeof createMetrics>;
