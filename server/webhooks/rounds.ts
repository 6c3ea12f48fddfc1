import type { EventRow } from '../../db/queries/events.ts';
import type { AttemptRow, WebhookHealth, WebhookRow } from '../../db/queries/webhooks.ts';
import type { WebhookOff } from '../../db/schema/webhooks.ts';
import type { Store } from '../../db/store.ts';
import { aboutOf, fieldsOf, type Names, readBody } from '../events/bodies.ts';
import { VERSION } from '../platform/config.ts';
import { isoTime, optionalTime } from '../platform/time.ts';
import type { Posted } from './post.ts';

/** Characters of an answer that are kept. */
const ANSWER_LENGTH = 256;

/** Says who posts. */
export const USER_AGENT = `Causeway/${VERSION}`;

/** The state of a webhook after a round of posts. `off`: it is switched off. `cursor`: all events up to there were sent. */
export type Outcome = { health: WebhookHealth; off: WebhookOff | null; rows: readonly AttemptRow[]; cursor: number };

/** Whether a webhook gets an event. */
export const isWanted = ({ types, servers }: Pick<WebhookRow, 'types' | 'servers'>, event: EventRow): boolean =>
  (types === null || types.includes(event.type)) && (servers === null || servers.includes(event.serverId));

export const isDelivered = ({ status }: Posted): boolean => status !== null && status >= 200 && status < 300;

/** The beginning of an answer, as it is stored and shown. */
export const shownAnswer = ({ text }: Pick<Posted, 'text'>): string =>
  [...text.replaceAll('\0', '\uFFFD')].slice(0, ANSWER_LENGTH).join('');

/** The fault of an attempt, in words. */
export const detailOf = (posted: Posted): string | null => {
  const { status, detail } = posted;
  if (detail !== null || isDelivered(posted)) return detail;
  if (status !== null && status >= 300 && status < 400) return 'Redirects are not followed; use the address behind it.';
  return `The answer was ${status}.`;
};

/** An event on its way to a webhook; `before`: earlier attempts. */
export type Job = { event: EventRow; before: number };

/**
 * The events of attempts, by their ids, as far as they are kept. `servers`: of these only. A webhook may have got events of
 * more servers before it was changed.
 */
const keptOf = async (
  { events }: Pick<Store, 'events'>,
  { projectId, servers }: { projectId: string; servers: readonly string[] | null },
  rows: readonly AttemptRow[],
) => {
  const ids = rows.map(({ eventId }) => eventId);
  const kept = await events.some(projectId, ids);
  return new Map(
    kept
      .filter(({ serverId }) => servers === null || servers.includes(serverId))
      .map((event) => [event.id, event] as const),
  );
};

/** The events of attempts that are made again. Those that are not kept any more, or not for it, are given up. */
export const jobsOf = async (
  { events }: Pick<Store, 'events'>,
  webhook: Pick<WebhookRow, 'projectId' | 'servers'>,
  rows: readonly AttemptRow[],
): Promise<{ jobs: Job[]; gone: AttemptRow[] }> => {
  if (rows.length === 0) return { jobs: [], gone: [] };
  const kept = await keptOf({ events }, webhook, rows);
  const jobs = rows.flatMap(({ eventId, attempts: before }) => {
    const event = kept.get(eventId);
    return event === undefined ? [] : [{ event, before }];
  });
  const detail = 'The event is not kept any more, or is of a server that the webhook no longer has.';
  const gone = rows
    .filter(({ eventId }) => !kept.has(eventId))
    .map((row) => ({ ...row, state: 'given_up' as const, detail, dueAt: null }));
  return { jobs, gone };
};

/** The row of an attempt. */
export const attemptOf = (
  { id: webhookId, projectId }: Pick<WebhookRow, 'id' | 'projectId'>,
  event: EventRow,
  posted: Posted,
  about: Pick<AttemptRow, 'state' | 'attempts' | 'dueAt' | 'at'>,
): AttemptRow => ({
  projectId,
  webhookId,
  eventId: event.id,
  eventSeq: event.seq,
  type: event.type,
  status: posted.status,
  detail: detailOf(posted),
  answer: shownAnswer(posted),
  tookMs: posted.tookMs,
  events: 1,
  ...about,
});

/** The current names of the players that events are about. */
export const namesOf = async (
  { players }: Pick<Store, 'players'>,
  projectId: string,
  events: readonly EventRow[],
): Promise<Names> => {
  const targets = events.flatMap((event) => {
    const { target, identifier } = fieldsOf(readBody(event).data);
    return [target, identifier].filter((each) => typeof each === 'string');
  });
  const found = targets.length === 0 ? [] : await players.names(projectId, [...new Set(targets)]);
  const known = new Map(found.map(({ serverId, identifier, name }) => [`${serverId} ${identifier}`, name]));
  return (serverId, identifier) => known.get(`${serverId} ${identifier}`);
};

/** An attempt as REST and the command line show it. `about`: null for who may not read commands, or it is not kept. */
const deliveryView = (
  row: AttemptRow,
  about: { serverId: string; subject: string; command: string | null; says: string } | null,
) => ({
  eventId: row.eventId,
  type: row.type,
  events: row.events,
  about,
  state: row.state,
  attempts: row.attempts,
  status: row.status,
  detail: row.detail,
  answer: row.answer,
  tookMs: row.tookMs,
  at: isoTime(row.at),
  nextAt: optionalTime(row.dueAt),
});
export type Delivery = ReturnType<typeof deliveryView>;
/** What a reader may see of what was sent: what the events are about, of some servers only, and the names of their players. */
export type Sees = { commands: boolean; names: boolean; servers?: readonly string[] | undefined };

/** Attempts as they are shown. The kept events, one statement for all, say what they were about. */
export const deliveryViews = async (
  store: Pick<Store, 'events' | 'players'>,
  rows: readonly AttemptRow[],
  sees: Sees,
): Promise<Delivery[]> => {
  const [first] = rows;
  if (first === undefined || !sees.commands) return rows.map((row) => deliveryView(row, null));
  const kept = await keptOf(store, { projectId: first.projectId, servers: sees.servers ?? null }, rows);
  const names = sees.names ? await namesOf(store, first.projectId, [...kept.values()]) : () => undefined;
  return rows.map((row) => {
    const event = kept.get(row.eventId);
    if (event === undefined || row.events > 1) return deliveryView(row, null);
    const { command, says } = aboutOf(event, names);
    const { serverId, subject } = event;
    return deliveryView(row, { serverId, subject, command, says: says.join(' · ') });
  });
};
