import type { EventRow } from '../../db/queries/events.ts';
import type { AttemptRow, WebhookRow } from '../../db/queries/webhooks.ts';
import type { Store } from '../../db/store.ts';
import type { Seal } from '../platform/seal.ts';
import { Newest, Pace, Windows } from '../platform/windows.ts';
import { embedOf, fitting, languageOf, MOST_EMBEDS, messageOf, postAddress, summaryOf } from './discord.ts';
import type { Post, Posted } from './post.ts';
import { afterFailure, askedUntil, type Chance, HEALTHY, retryAt } from './retries.ts';
import {
  attemptOf,
  detailOf,
  isDelivered,
  isWanted,
  jobsOf,
  namesOf,
  type Outcome,
  shownAnswer,
  USER_AGENT,
} from './rounds.ts';

/** Thirty posts a minute for one channel. */
const EVERY_MS = 2_000;
/** So many events wait, or the oldest of more than a message holds waits so long, and a summary is sent. */
const SUMMARY_FROM = 50;
const SUMMARY_AFTER_MS = 60_000;
/** Events of one summary, and how many are read at once. */
const SUMMARY_MOST = 1_000;
const READ_AT_ONCE = 200;
/** So many refusals in ten minutes, and this node sends nothing to Discord for as long: at 10,000 its address is blocked. */
const REFUSALS = 2_000;
const REFUSALS_MS = 10 * 60_000;
const REFUSED: ReadonlySet<number | null> = new Set([401, 403, 429]);
/** Webhooks whose channel is remembered. */
const REMEMBERED = 10_000;

type Reply = { code?: unknown; message?: unknown; retry_after?: unknown; channel_id?: unknown };

const replyOf = ({ text }: Posted): Reply => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // The body was cut, or is none of Discord's.
    const [, channel] = /"channel_id":\s*"(\d{1,20})"/.exec(text) ?? [];
    return channel === undefined ? {} : { channel_id: channel };
  }
};

/** Waits for a place of this node, and posts. */
type Take = (post: () => Promise<Posted>) => Promise<Posted>;
type Wanted = { events: EventRow[]; cursor: number };

type Deps = {
  store: Pick<Store, 'events' | 'webhooks' | 'players' | 'projects'>;
  seal: Seal;
  post: Post;
  publicUrl: string | undefined;
  now: () => number;
  random: () => number;
};

/** Posts to channels of Discord: some events in one message, or a summary where there are too many. */
export class DiscordRounds {
  readonly #deps: Deps;
  readonly #pace = new Pace(EVERY_MS);
  readonly #channels = new Newest<string>(REMEMBERED);
  readonly #refusals: Windows;
  #pausedUntil = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#refusals = new Windows({ ms: REFUSALS_MS, now: deps.now });
  }

  /** The next message of a webhook; undefined: there is nothing to send now. */
  async round(webhook: WebhookRow, take: Take): Promise<Outcome | undefined> {
    const { store, now } = this.#deps;
    if (this.#pausedUntil > now()) return undefined;
    const due = await store.webhooks.due(webhook.id, now(), MOST_EMBEDS);
    const fresh = await this.#wanted(webhook);
    if (due.length + fresh.events.length === 0) {
      return fresh.cursor === webhook.cursor
        ? undefined
        : { health: webhook, off: null, rows: [], cursor: fresh.cursor };
    }
    // Not booked: the next look tries again.
    if (this.#pace.book(this.#channelOf(webhook), 0) === undefined) return undefined;
    if (due.length > 0) return this.#again(webhook, due, take);
    const [oldest] = fresh.events;
    const { length } = fresh.events;
    const isLate = length > MOST_EMBEDS && now() - (oldest?.at ?? 0) >= SUMMARY_AFTER_MS;
    if (length >= SUMMARY_FROM || isLate) return this.#summary(webhook, fresh, take);
    return this.#some(webhook, fresh, take);
  }

  /** A message that nobody has caused. @throws SealError */
  test(webhook: WebhookRow, content: string): Promise<Posted> {
    return this.#send(webhook, messageOf([], content));
  }

  #channelOf({ id }: Pick<WebhookRow, 'id'>): string {
    return this.#channels.get(id) ?? id;
  }

  async #wanted(webhook: WebhookRow): Promise<Wanted> {
    const { events } = this.#deps.store;
    const wanted: EventRow[] = [];
    let { cursor } = webhook;
    for (;;) {
      const read = await events.after(webhook.projectId, cursor, READ_AT_ONCE);
      wanted.push(...read.filter((event) => isWanted(webhook, event)));
      cursor = read.at(-1)?.seq ?? cursor;
      if (read.length < READ_AT_ONCE || wanted.length >= SUMMARY_MOST) return { events: wanted, cursor };
    }
  }

  async #send(webhook: WebhookRow, body: string): Promise<Posted> {
    const { seal, post, now } = this.#deps;
    const headers = { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT };
    const posted = await post(postAddress(seal.open(webhook.url, webhook.id)), { body, headers });
    const { channel_id: channel } = replyOf(posted);
    if (typeof channel === 'string') this.#channels.set(webhook.id, channel);
    if (REFUSED.has(posted.status) && this.#refusals.add('all').count >= REFUSALS) {
      this.#pausedUntil = now() + REFUSALS_MS;
    }
    return posted;
  }

  async #embeds(webhook: WebhookRow, events: readonly EventRow[]) {
    const { store } = this.#deps;
    const project = await store.projects.byId(webhook.projectId);
    const language = languageOf(project?.language ?? null);
    const names = webhook.names ? await namesOf(store, webhook.projectId, events) : () => undefined;
    return { language, embeds: fitting(events.map((event) => embedOf(event, language, names))) };
  }

  async #some(webhook: WebhookRow, fresh: Wanted, take: Take): Promise<Outcome> {
    const { embeds } = await this.#embeds(webhook, fresh.events.slice(0, MOST_EMBEDS));
    const events = fresh.events.slice(0, embeds.length);
    const posted = await take(() => this.#send(webhook, messageOf(embeds)));
    const after = this.#judge(webhook, posted);
    const cursor = events.length === fresh.events.length ? fresh.cursor : (events.at(-1)?.seq ?? webhook.cursor);
    if (!after.isOver) return { ...after, rows: [], cursor: webhook.cursor };
    const rows = events.map((event) => this.#rowOf(webhook, event, posted));
    return { ...after, rows, cursor };
  }

  async #summary(webhook: WebhookRow, fresh: Wanted, take: Take): Promise<Outcome> {
    const { publicUrl } = this.#deps;
    const { language } = await this.#embeds(webhook, []);
    const summary = summaryOf(fresh.events, language, publicUrl);
    const posted = await take(() => this.#send(webhook, messageOf([summary])));
    const after = this.#judge(webhook, posted);
    const newest = fresh.events.at(-1);
    if (!after.isOver || newest === undefined) return { ...after, rows: [], cursor: webhook.cursor };
    const row = { ...this.#rowOf(webhook, newest, posted), events: fresh.events.length };
    return { ...after, rows: [row], cursor: fresh.cursor };
  }

  /** Events that a person wants to be sent again. */
  async #again(webhook: WebhookRow, due: readonly AttemptRow[], take: Take): Promise<Outcome> {
    const { store, now } = this.#deps;
    const { jobs, gone } = await jobsOf(store, webhook, due);
    const { cursor } = webhook;
    if (jobs.length === 0) return { health: webhook, off: null, rows: gone, cursor };
    const events = jobs.map(({ event }) => event);
    const { embeds } = await this.#embeds(webhook, events);
    const posted = await take(() => this.#send(webhook, messageOf(embeds)));
    const after = this.#judge(webhook, posted);
    const rows = jobs.slice(0, embeds.length).map(({ event, before }): AttemptRow => {
      const attempts = before + 1;
      const row = { ...this.#rowOf(webhook, event, posted), attempts };
      const dueAt = after.isOver ? null : retryAt(attempts, null, this.#chance(now()));
      return dueAt === null ? row : { ...row, state: 'waiting', dueAt };
    });
    return { ...after, rows: [...rows, ...gone], cursor };
  }

  #chance(at: number): Chance {
    return { now: at, random: this.#deps.random };
  }

  #rowOf(webhook: WebhookRow, event: EventRow, posted: Posted): AttemptRow {
    const state = isDelivered(posted) ? 'delivered' : 'given_up';
    return attemptOf(webhook, event, posted, { state, attempts: 1, dueAt: null, at: this.#deps.now() });
  }

  /** `isOver`: these events are not sent again. */
  #judge(webhook: WebhookRow, posted: Posted): Pick<Outcome, 'health' | 'off'> & { isOver: boolean } {
    const at = this.#deps.now();
    const { status } = posted;
    if (isDelivered(posted)) return { health: HEALTHY, off: null, isOver: true };
    const { code, message, retry_after: seconds } = replyOf(posted);
    const said = typeof message === 'string' ? shownAnswer({ text: message }) : '';
    const fault = `${detailOf(posted) ?? ''} ${said}`.trim();
    const isGone = (status === 404 && code === 10_015) || (status === 401 && code === 50_027);
    if (isGone) return { health: { ...webhook, fault }, off: 'gone', isOver: false };
    const asked =
      typeof seconds === 'number' ? Math.ceil(at + seconds * 1_000) : askedUntil(posted.headers['retry-after'], at);
    if (status === 429) {
      return { health: { ...webhook, fault, restUntil: asked ?? at + EVERY_MS }, off: null, isOver: false };
    }
    // Discord will never take this message.
    if (status === 400) return { health: webhook, off: null, isOver: true };
    const after = afterFailure(webhook, { asked, fault }, this.#chance(at));
    const restUntil = retryAt(Math.min(after.health.failures, 9), asked, this.#chance(at));
    return { health: { ...after.health, restUntil }, off: after.isOver ? 'failing' : null, isOver: false };
  }
}
