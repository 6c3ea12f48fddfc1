import type { Logger } from 'pino';
import type { EventRow } from '../../db/queries/events.ts';
import type { AttemptRow, WebhookHealth, WebhookRow } from '../../db/queries/webhooks.ts';
import type { WebhookOff } from '../../db/schema/webhooks.ts';
import type { Store } from '../../db/store.ts';
import type { Background, Phase } from '../platform/background.ts';
import { Jobs } from '../platform/jobs.ts';
import { type Seal, SealError } from '../platform/seal.ts';
import type { DiscordRounds } from './discord-rounds.ts';
import type { Post, Posted } from './post.ts';
import { afterFailure, askedUntil, HEALTHY, isProbing, retryAt } from './retries.ts';
import { attemptOf, detailOf, isDelivered, isWanted, type Job, jobsOf, type Outcome } from './rounds.ts';
import { signedPost } from './signature.ts';
import { Slots, Turns } from './turns.ts';

/** A node that sends has a webhook for so long; a node that dies leaves it to another one. */
const LEASE_MS = 10_000;
/** A node that waits for answers asks for more time so often. */
export const RENEW_EVERY_MS = 3_000;
/** Posts of one node at the same time. */
const MOST_POSTS = 256;
/** Events that are read at once for a webhook that does not get all of them. */
const READ_AT_ONCE = 50;

type Round = { jobs: Job[]; gone: AttemptRow[]; cursor: number };
type Ended = { job: Job; posted: Posted; at: number };

/** The body of an event for a webhook: the bytes that are stored, without the names that it must not get. */
const bodyFor = ({ names }: Pick<WebhookRow, 'names'>, { type, body }: EventRow): string => {
  if (names || type !== 'player.first_seen') return body;
  const { data, ...event } = JSON.parse(body) as { data: Record<string, unknown> };
  const { name: _, ...nameless } = data;
  return JSON.stringify({ ...event, data: nameless });
};

type Deps = {
  store: Pick<Store, 'webhooks' | 'events'>;
  seal: Seal;
  post: Post;
  discord: Pick<DiscordRounds, 'round'>;
  background: Pick<Background, 'run'>;
  log: Logger;
  node: string;
  phase: Readonly<Pick<Phase, 'isDraining'>>;
  /** Hears that a webhook was switched off. */
  switchedOff: (webhook: WebhookRow, off: WebhookOff) => Promise<void>;
  now: () => number;
  random: () => number;
};

/**
 * Brings events to webhooks: each at least once, in no promised order. The rows hold all that is to be done; the database
 * gives each webhook to one node at a time.
 */
export const createSender = (deps: Deps) => {
  const { store, seal, post, discord, background, log, node, phase, switchedOff } = deps;
  const { now, random } = deps;
  const turns = new Turns(MOST_POSTS);
  const slots = new Slots();
  const working = new Set<string>();

  /** The next events that a webhook gets. `cursor`: all up to there are among them, or are not for it. */
  const nextNew = async (webhook: WebhookRow, most: number): Promise<{ events: EventRow[]; cursor: number }> => {
    let { cursor } = webhook;
    const events: EventRow[] = [];
    if (most === 0) return { events, cursor };
    const isAll = webhook.types === null && webhook.servers === null;
    for (const event of await store.events.after(webhook.projectId, cursor, isAll ? most : READ_AT_ONCE)) {
      if (events.length === most) break;
      cursor = event.seq;
      if (isWanted(webhook, event)) events.push(event);
    }
    return { events, cursor };
  };

  const roundOf = async (webhook: WebhookRow): Promise<Round> => {
    const { id, cursor } = webhook;
    if (isProbing(webhook)) {
      const oldest = await store.webhooks.oldestWaiting(id);
      if (oldest !== undefined) return { ...(await jobsOf(store, webhook, [oldest])), cursor };
    }
    const most = isProbing(webhook) ? 1 : slots.of(id);
    const fresh = await nextNew(webhook, most);
    // What is sent again takes at most half of the places from what is new.
    const room = Math.max(most - fresh.events.length, Math.floor(most / 2), 1);
    const again = await jobsOf(store, webhook, await store.webhooks.due(id, now(), isProbing(webhook) ? 0 : room));
    // After a replay, an event may be new and wait for another attempt at once.
    const waiting = new Set(again.jobs.map(({ event }) => event.id));
    const firsts = fresh.events.filter(({ id }) => !waiting.has(id)).map((event) => ({ event, before: 0 }));
    if (firsts.length + again.jobs.length <= most) {
      return { jobs: [...again.jobs, ...firsts], gone: again.gone, cursor: fresh.cursor };
    }
    const some = firsts.slice(0, Math.max(most - again.jobs.length, 0));
    return { jobs: [...again.jobs, ...some], gone: again.gone, cursor: some.at(-1)?.event.seq ?? cursor };
  };

  const attempt = (webhook: WebhookRow, job: Job): Promise<Ended> =>
    turns.take(webhook.projectId, async () => {
      const at = now();
      const body = bodyFor(webhook, job.event);
      const posted = await signedPost({ post, seal }, webhook, { id: job.event.id, body, at });
      return { job, posted, at: now() };
    });

  /** The webhook and the rows after a round, in the order in which it was sent. */
  const judge = (webhook: WebhookRow, ended: readonly Ended[]): Omit<Outcome, 'cursor'> => {
    const rows = ended.map(({ job: { event, before }, posted, at }): AttemptRow => {
      const about = { attempts: before + 1, at };
      if (isDelivered(posted)) {
        return attemptOf(webhook, event, posted, { ...about, state: 'delivered', dueAt: null });
      }
      const dueAt = retryAt(before + 1, askedUntil(posted.headers['retry-after'], at), { now: at, random });
      return attemptOf(webhook, event, posted, { ...about, state: dueAt === null ? 'given_up' : 'waiting', dueAt });
    });
    if (ended.length === 0) return { health: webhook, off: null, rows };
    const gone = ended.find(({ posted: { status } }) => status === 410);
    const failed = gone ?? ended.findLast(({ posted }) => !isDelivered(posted));
    const fault = failed === undefined ? null : detailOf(failed.posted);
    if (ended.some(({ posted }) => isDelivered(posted))) {
      if (gone === undefined) return { health: HEALTHY, off: null, rows };
      return { health: { ...HEALTHY, fault }, off: 'gone', rows };
    }
    // Posts that fail together are one failure: otherwise a short time away would make a busy webhook rest for long.
    const at = Math.max(...ended.map((each) => each.at));
    const until = Math.max(...ended.map(({ posted }) => askedUntil(posted.headers['retry-after'], at) ?? 0));
    const asked = until === 0 ? null : until;
    const { health, isOver } = afterFailure(webhook, { asked, fault }, { now: at, random });
    return { health, off: gone !== undefined ? 'gone' : isOver ? 'failing' : null, rows };
  };

  const healthOf = ({ failures, failingSince, failedDay, failedDays, fault, restUntil }: WebhookHealth) => ({
    ...{ failures, failingSince, failedDay, failedDays, fault, restUntil },
  });

  const jsonRound = async (webhook: WebhookRow): Promise<Outcome | undefined> => {
    const { jobs, gone, cursor } = await roundOf(webhook);
    if (jobs.length + gone.length === 0 && cursor === webhook.cursor) return undefined;
    const ended = await Promise.all(jobs.map((job) => attempt(webhook, job)));
    slots.note(webhook.id, {
      isFull: jobs.length >= slots.of(webhook.id),
      isGood: ended.every(({ posted }) => isDelivered(posted)),
      timeouts: ended.filter(({ posted }) => posted.isLate).length,
    });
    const { health, off, rows } = judge(webhook, ended);
    return { health, off, rows: [...rows, ...gone], cursor };
  };

  /** One round. False: there is nothing more to do now. */
  const round = async (webhook: WebhookRow): Promise<boolean> => {
    if (webhook.restUntil !== null && webhook.restUntil > now()) return false;
    const take = (posting: () => Promise<Posted>): Promise<Posted> => turns.take(webhook.projectId, posting);
    const outcome = await (webhook.format === 'discord' ? discord.round(webhook, take) : jsonRound(webhook));
    // The posts of a hub that stops were cut off: they are made again, by this node or another one.
    if (outcome === undefined || phase.isDraining) return false;
    const { health, off, rows, cursor } = outcome;
    const isHealed = isProbing(webhook) && !isProbing(health);
    const patch = { ...healthOf(health), cursor, ...(off !== null && { off, offAt: now() }) };
    const healed = isHealed ? now() : undefined;
    const isRecorded = await store.webhooks.record(webhook, node, { patch, rows, healed });
    if (isRecorded && off !== null) await switchedOff(webhook, off);
    return off === null;
  };

  const work = async (id: string): Promise<void> => {
    working.add(id);
    let webhook: WebhookRow | undefined;
    try {
      do webhook = phase.isDraining ? undefined : await store.webhooks.claim(id, node, LEASE_MS);
      while (webhook !== undefined && (await round(webhook)));
    } catch (error) {
      if (!(error instanceof SealError) || webhook === undefined) throw error;
      const { message: fault } = error;
      log.error({ err: error, webhookId: id }, 'a secret of a webhook cannot be read');
      if (webhook.fault !== fault) await store.webhooks.update(webhook.projectId, id, { fault }, now());
      // Not released, so that it is tried again only after the lease.
      return;
    } finally {
      working.delete(id);
    }
    await store.webhooks.release(id, node);
  };
  const jobs = new Jobs('webhooks', background, work);

  return {
    /** Sends what a webhook is owed, if no other node does. */
    start: (id: string): void => jobs.start(id),
    run: (id: string): Promise<void> => jobs.run(id),
    /** Starts all webhooks that have something to send. */
    check: async (): Promise<void> => {
      if (phase.isDraining) return;
      for (const id of await store.webhooks.withWork(now())) if (!working.has(id)) jobs.start(id);
    },
    /** Keeps the webhooks that this node sends to, while it waits for answers. */
    renew: (): Promise<void> => store.webhooks.renew([...working], node, LEASE_MS),
  };
};
