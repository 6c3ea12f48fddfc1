import type { Columns } from './columns.ts';

/** Types of the events that a project keeps. */
export const KEPT_EVENT_TYPES = [
  'command.settled',
  'command.waiting',
  'command.indeterminate',
  'batch.settled',
  'schedule.run',
  'schedule.refused',
  'schedule.paused',
  'shop.line.unmatched',
  'shop.line.delivered',
  'server.offline',
  'server.online',
  'player.first_seen',
  'webhook.off',
] as const;
export type KeptEventType = (typeof KEPT_EVENT_TYPES)[number];

/** Events of projects that keep them. Rows are written once, and pruned when they are old. */
export const eventTables = (c: Columns) => {
  const events = c.table(
    'events',
    {
      /** Its place in the project's stream: grows with each event, also over several nodes. */
      seq: c.serial('seq'),
      /** `evt_` and random: after a restore, a new event never has the id of one that the backup lacks. */
      id: c.text('id').notNull(),
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      /** Of `KEPT_EVENT_TYPES`; later versions may add some. */
      type: c.text<KeptEventType>('type').notNull(),
      /** The id of what it is about: a command, a batch, a run (`<schedule>/<planned time>`), and so on. */
      subject: c.text('subject').notNull(),
      /** Grows with each state of the subject. */
      revision: c.int('revision').notNull(),
      /** When it happened. */
      at: c.instant('at').notNull(),
      /** JSON, made once: every receiver gets the same bytes. */
      body: c.text('body').notNull(),
    },
    (t) => [
      c.uniqueIndex('events_id').on(t.id),
      c.uniqueIndex('events_told').on(t.projectId, t.type, t.subject, t.revision),
      c.index('events_project').on(t.projectId, t.seq, t.at),
      c.index('events_at').on(t.at),
    ],
  );
  return { events };
};

/** The first value of an `outbox` of a project whose row is in hand; null: it keeps no events. */
export const outboxFor = ({ keepEvents }: { keepEvents: boolean }, owed = 0): number | null =>
  keepEvents ? owed : null;
