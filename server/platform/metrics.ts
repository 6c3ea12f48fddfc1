import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { COMMANDS } from '../../bridge-protocol/index.ts';
import { COMMAND_STATUSES, isSettled } from '../../db/schema/commands.ts';

/** How a post to a webhook ends: taken, refused by another answer, or without an answer. */
const POST_RESULTS = ['delivered', 'refused', 'timeout', 'connection', 'certificate', 'refused_address'];

/** All metrics of the hub. Labels come from closed lists: never players or ids. */
export const createMetrics = () => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const commands = counter('causeway_commands_settled_total', 'Commands by name and how they ended.', [
    'name',
    'status',
  ]);
  // Series start at 0: an alert on growth would miss a series that begins with 1.
  for (const name of [...Object.keys(COMMANDS), 'custom'])
    for (const status of COMMAND_STATUSES.filter(isSettled)) commands.inc({ name, status }, 0);
  const webhookPosts = counter('causeway_webhook_posts_total', 'Posts to webhooks by how they ended.', ['result']);
  for (const result of POST_RESULTS) webhookPosts.inc({ result }, 0);
  return {
    registry,
    requests: new Histogram({
      name: 'causeway_http_request_duration_seconds',
      help: 'Time to answer a request, by route and status.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    refusals: counter(
      'causeway_refused_requests_total',
      'Requests without a good secret that are left out of the access log: no key, or too many from one address.',
      ['code'],
    ),
    commands,
    commandSeconds: new Histogram({
      name: 'causeway_command_duration_seconds',
      help: 'Time from the request to the durable outcome.',
      labelNames: ['name'] as const,
      buckets: [0.002, 0.01, 0.05, 0.2, 1, 5, 30],
      registers,
    }),
    strayResults: counter('causeway_stray_results_total', 'Results of commands that this hub does not know.'),
    webhooks: counter('causeway_shop_webhooks_total', 'Webhooks of shops by kind and what the hub did with them.', [
      'kind',
      'outcome',
    ]),
    shopLines: counter(
      'causeway_shop_lines_for_staff_total',
      'Lines of shop orders that a member of the staff has to decide.',
      ['state'],
    ),
    schedulesLate: gauge(
      'causeway_schedules_late_seconds',
      'How late the latest of the planned runs was that the hub took up last; 0: none was due.',
    ),
    webhookPosts,
    webhooksWaiting: gauge('causeway_webhook_events_waiting', 'Events that webhooks have not taken, and get again.'),
    webhooksOff: gauge('causeway_webhooks_off', 'Webhooks that are off.'),
    webhooksBehind: gauge(
      'causeway_webhooks_behind_seconds',
      'Age of the oldest event that a webhook which is on has not been sent; 0: there is none.',
    ),
    eventsStored: gauge('causeway_events_stored', 'Events that are stored now.'),
    eventsOwed: gauge(
      'causeway_events_owed_seconds',
      'Age of the oldest command whose event was not made yet when it was counted; 0: there was none.',
    ),
    keptEvents: counter('causeway_events_kept_total', 'Events that were stored for streams and webhooks.'),
    prunedEvents: counter(
      'causeway_events_pruned_total',
      'Stored events that were deleted: because of their age, or because a project had too many.',
      ['reason'],
    ),
    eventStreams: gauge('causeway_event_streams_open', 'Readers of the event stream.'),
    bridges: gauge('causeway_bridges_connected', 'Welcomed bridges.'),
    waiting: gauge('causeway_commands_waiting', 'Requests that wait for an outcome.'),
    inFlight: gauge('causeway_commands_in_flight', 'Commands sent and not settled.'),
    queued: gauge('causeway_commands_queued', 'Commands accepted and not sent.'),
    closes: counter('causeway_bridge_closes_total', 'Closed bridge sockets by reason.', ['reason']),
    frames: counter('causeway_bad_frames_total', 'Frames that were not messages, by problem.', ['code']),
    lastBackup: gauge(
      'causeway_last_backup_timestamp_seconds',
      'Time of the last good backup into BACKUP_FOLDER; 0: none.',
    ),
    playersSynced: counter('causeway_players_synced_total', 'Player records written.'),
  };
};
export type Metrics = ReturnType<typeof createMetrics>;
