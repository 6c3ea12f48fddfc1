import type { EventRow } from '../../db/queries/events.ts';
import type { AttemptRow, WebhookHealth, WebhookRow } from '../../db/queries/webhooks.ts';
import type { WebhookOff } from '../../db/schema/webhooks.ts';
import type { Store } from '../../db/store.ts';
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
export const shownAnswer = ({ text }: Posted): string =>
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

/** The events of attempts that are made again. Those that are not kept any more are given up. */
export const jobsOf = async (
  { events }: Pick<Store, 'events'>,
  { projectId }: Pick<WebhookRow, 'projectId'>,
  rows: readonly AttemptRow[],
): Promise<{ jobs: Job[]; gone: AttemptRow[] }> => {
  const found = await Promise.all(rows.map((row) => events.get(projectId, row.eventId)));
  const jobs = rows.flatMap((row, n) => {
    const event = found[n];
    return event === undefined ? [] : [{ event, before: row.attempts }];
  });
  const detail = 'The event is not kept any more.';
  const gone = rows
    .filter((_row, n) => found[n] === undefined)
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
  ...about,
});

/** An attempt as REST and the command line show it. */
export const deliveryView = (row: AttemptRow) => ({
  eventId: row.eventId,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  status: row.status,
  detail: row.detail,
  answer: row.answer,
  tookMs: row.tookMs,
  at: isoTime(row.at),
  nextAt: optionalTime(row.dueAt),
});
