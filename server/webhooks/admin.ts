import type { PageRequest } from '../../db/queries/cursor.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { WebhookPatch, WebhookRow } from '../../db/queries/webhooks.ts';
import type { AttemptState } from '../../db/schema/webhooks.ts';
import type { Store } from '../../db/store.ts';
import type { Config } from '../platform/config.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { NOWHERE, readReach } from '../platform/reach.ts';
import { Seal, SealError } from '../platform/seal.ts';
import { inTime, isoTime, optionalTime } from '../platform/time.ts';
import { Addresses } from './address.ts';
import { languageOf, maskedDiscord, readDiscord } from './discord.ts';
import { DiscordRounds } from './discord-rounds.ts';
import { TEXTS } from './discord-texts.ts';
import { createPost, type Post, type Posted } from './post.ts';
import { HEALTHY, isTroubled } from './retries.ts';
import { type Delivery, deliveryViews, isDelivered, type Sees } from './rounds.ts';
import { newSigningSecret, signedPost } from './signature.ts';

/** Webhooks of one project. */
const MAX_WEBHOOKS = 50;
/** How long the secret before a rotation still signs. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;
/** Events that are counted, of those that a webhook has not been sent yet. */
const MOST_COUNTED = 1_000;
/** How long the answer about a new webhook waits until the project keeps all its events. */
const KEEP_WITHIN_MS = 5_000;

type WayDeps = {
  store: Pick<Store, 'events' | 'webhooks' | 'players' | 'projects'>;
  config: Pick<Config, 'SECRET_KEY' | 'WEBHOOKS_MAY_REACH' | 'PUBLIC_URL'>;
  /** Cuts off all posts. */
  signal?: AbortSignal;
  /** Hears how each post ended. */
  ended?: (posted: Posted) => void;
  now?: () => number;
  random?: () => number;
};

/** The only way to receivers, also for tests: addresses are checked, and secrets are opened for a post alone. */
export const openWay = ({ store, config, signal, ended, now = Date.now, random = Math.random }: WayDeps) => {
  const seal = new Seal(config.SECRET_KEY);
  const addresses = new Addresses({ reach: readReach(config.WEBHOOKS_MAY_REACH ?? '') ?? NOWHERE });
  const send = createPost({ addresses, ...(signal !== undefined && { signal }) });
  const post: Post = async (...request) => {
    const posted = await send(...request);
    ended?.(posted);
    return posted;
  };
  const discord = new DiscordRounds({ store, seal, post, publicUrl: config.PUBLIC_URL, now, random });
  return { seal, addresses, post, discord };
};
type Way = ReturnType<typeof openWay>;

type Settings = Pick<WebhookRow, 'name' | 'format' | 'types' | 'servers' | 'names'>;
type Change = Partial<Omit<Settings, 'format'> & { url: string; on: boolean }>;
/** `secret`: null for Discord. */
type Shown = { row: WebhookRow; secret: string | null };
/** `since`: when the project began to keep all its events (epoch milliseconds); undefined: it will soon. */
type Made = Shown & { since: number | undefined };

/** Whether a key of some servers may see a webhook. */
const isWithin = ({ servers }: Pick<WebhookRow, 'servers'>, allowed: readonly string[] | undefined): boolean =>
  allowed === undefined || (servers?.every((each) => allowed.includes(each)) ?? false);

/** Makes, changes, rotates and removes webhooks: the only implementation, for REST and the command line. */
export const webhookAdmin = ({
  store,
  way: { seal, addresses, post, discord },
  keep,
  due = () => undefined,
  now = Date.now,
}: {
  store: Pick<Store, 'events' | 'webhooks' | 'players' | 'projects'>;
  way: Way;
  /** Begins to keep the events of a project; resolves with the time since which all are kept. */
  keep: (projectId: string) => Promise<number | undefined>;
  /** A webhook has something to send. Without it, the hubs find that within a second. */
  due?: (id: string) => void;
  now?: () => number;
}) => {
  /** @throws HubError invalid_request */
  const readUrl = (text: string, format: WebhookRow['format']): string => {
    const given = addresses.read(text);
    const isDiscord = format === 'discord' && 'url' in given;
    // Discord takes no other bodies, and its address would be shown whole.
    if (format === 'json' && 'url' in given && !('fault' in readDiscord(given.url, false))) {
      throw invalidField('/url', 'is an address of Discord: its format must be discord');
    }
    const read = isDiscord ? readDiscord(given.url, addresses.isAllowed(given.url)) : given;
    if ('fault' in read) throw invalidField('/url', read.fault);
    return read.url.href;
  };

  /** Undefined: the address is sealed with another SECRET_KEY. */
  const opened = ({ url, id }: WebhookRow): string | undefined => {
    try {
      return seal.open(url, id);
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  };

  /** @throws HubError webhook_not_found */
  const update = async ({ projectId, id }: WebhookRow, patch: WebhookPatch): Promise<WebhookRow> => {
    const changed = await store.webhooks.update(projectId, id, patch, now());
    if (changed === undefined) throw new HubError('webhook_not_found');
    return changed;
  };

  /** The webhooks of a project, oldest first. `servers`: of a limited key, which sees those that get nothing of others. */
  const list = async (projectId: string, servers?: readonly string[]): Promise<WebhookRow[]> => {
    const rows = await store.webhooks.list(projectId);
    return rows.filter((row) => isWithin(row, servers));
  };

  /** How many events come after its place, counted up to a thousand; those that it does not get too. */
  const behind = ({ projectId, cursor }: WebhookRow): Promise<number> =>
    store.events.countAfter(projectId, cursor, MOST_COUNTED);

  const testJson = (webhook: WebhookRow): Promise<Posted> => {
    const [id, at] = [newId('evt'), now()];
    const data = { webhookId: webhook.id };
    const event = { id, type: 'webhook.test', timestamp: isoTime(at), serverId: '', revision: 1, data };
    return signedPost({ post, seal }, webhook, { id, body: JSON.stringify(event), at });
  };
  const testDiscord = async (webhook: WebhookRow): Promise<Posted> => {
    const project = await store.projects.byId(webhook.projectId);
    return discord.test(webhook, TEXTS[languageOf(project?.language ?? null)].test);
  };

  return {
    /** Undefined: there is none in the project, or the key does not see it. */
    find: async (projectId: string, id: string, servers?: readonly string[]): Promise<WebhookRow | undefined> => {
      const row = await store.webhooks.get(projectId, id);
      return row !== undefined && isWithin(row, servers) ? row : undefined;
    },
    list,
    /** How many webhooks a person should look at. */
    countTroubled: async (projectId: string, servers?: readonly string[]): Promise<number> =>
      (await list(projectId, servers)).filter((row) => isTroubled(row, now())).length,
    /** A webhook as it is shown, on all ways. `eventsSince`: when its project began to keep all events. */
    view: async (row: WebhookRow, eventsSince: number | null | undefined) => {
      const { id, name, format, types, servers, names, maker, off, failures, fault } = row;
      const url = opened(row);
      const { waiting, givenUp } = await store.webhooks.counts(id);
      const endsAt = row.secrets.find(({ expiresAt }) => expiresAt !== null && expiresAt > now())?.expiresAt;
      return {
        ...{ id, name, format, types, servers, names, maker, on: off === null, off, failures, fault, waiting, givenUp },
        // An address of Discord is a secret. Null: the address is sealed with another SECRET_KEY.
        url: url === undefined ? null : format === 'discord' ? maskedDiscord(url) : url,
        offAt: optionalTime(row.offAt),
        failingSince: optionalTime(row.failingSince),
        restUntil: optionalTime(row.restUntil),
        troubled: isTroubled(row, now()),
        behind: await behind(row),
        previousSecretEndsAt: optionalTime(endsAt),
        eventsSince: optionalTime(eventsSince),
        createdAt: isoTime(row.createdAt),
        updatedAt: isoTime(row.updatedAt),
      };
    },
    /** The address up to its path, which may be a secret; null: it is sealed with another SECRET_KEY. */
    originOf: (row: WebhookRow): string | null => {
      const url = opened(row);
      return url === undefined ? null : new URL(url).origin;
    },
    /**
     * The project keeps its events from now on; the webhook gets those that come after this.
     * @throws HubError invalid_request, quota_exceeded
     */
    create: async (
      project: Pick<ProjectRow, 'id'>,
      maker: WebhookRow['maker'],
      { url, ...settings }: Settings & { url: string },
    ): Promise<Made> => {
      const id = newId('whk');
      const at = now();
      const sealed = seal.seal(readUrl(url, settings.format), id);
      const cursor = (await store.events.last(project.id))?.seq ?? 0;
      const secret = settings.format === 'discord' ? null : newSigningSecret();
      const row = {
        ...{ id, projectId: project.id, ...settings, url: sealed, maker, cursor, createdAt: at, updatedAt: at },
        ...{ ...HEALTHY, off: null, offAt: null, workNode: null, workUntil: null },
        secrets: secret === null ? [] : [{ sealed: seal.seal(secret, id), expiresAt: null }],
      };
      const stored = await store.webhooks.create(row, MAX_WEBHOOKS);
      if (stored !== 'inserted') {
        throw new HubError('quota_exceeded', `A project may have ${MAX_WEBHOOKS} webhooks. Delete one.`);
      }
      return { row, secret, since: await inTime(keep(project.id), KEEP_WITHIN_MS) };
    },
    /** Switched on again, it gets all that has come meanwhile and is still kept. @throws HubError webhook_not_found */
    change: async (
      row: WebhookRow,
      maker: WebhookRow['maker'],
      { url, on, ...settings }: Change,
    ): Promise<WebhookRow> => {
      const isWidened = settings.types !== undefined || settings.servers !== undefined;
      const changed = await update(row, {
        ...settings,
        ...(isWidened && { maker }),
        ...(url !== undefined && { url: seal.seal(readUrl(url, row.format), row.id) }),
        ...(on === false && { off: 'paused', offAt: now() }),
        ...(on === true && { ...HEALTHY, off: null, offAt: null }),
      });
      if (on === true) await store.webhooks.wake(row.id, now());
      return changed;
    },
    remove: ({ projectId, id }: WebhookRow): Promise<void> => store.webhooks.remove(projectId, id),
    /**
     * A new secret. Posts are signed with the one before, too, for a day.
     * @throws HubError webhook_not_found, invalid_request
     */
    rotate: async (row: WebhookRow): Promise<Shown & { secret: string }> => {
      if (row.format === 'discord') {
        throw new HubError(
          'invalid_request',
          'A webhook of Discord has no secret: its address is one. Make a new one.',
        );
      }
      const secret = newSigningSecret();
      const [current] = row.secrets;
      const before = current === undefined ? [] : [{ ...current, expiresAt: now() + OVERLAP_MS }];
      const secrets = [{ sealed: seal.seal(secret, row.id), expiresAt: null }, ...before];
      return { row: await update(row, { secrets }), secret };
    },
    /**
     * Sends an event that nobody has caused, now and once, on the way of all others. If it arrives, a webhook that rests goes
     * on. @throws HubError store_unavailable
     */
    test: async (webhook: WebhookRow): Promise<Posted> => {
      try {
        const posted = await (webhook.format === 'discord' ? testDiscord(webhook) : testJson(webhook));
        if (webhook.restUntil !== null && isDelivered(posted)) {
          await update(webhook, { restUntil: null });
          due(webhook.id);
        }
        return posted;
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        const detail = 'The hub cannot read the secret of this webhook.';
        throw new HubError('store_unavailable', detail, { retryAfterS: 60 });
      }
    },
    behind,
    /** What was sent to it, the newest first. @throws InvalidCursor */
    deliveries: async (
      { id }: WebhookRow,
      page: PageRequest & { state?: AttemptState | undefined },
      sees: Sees,
    ): Promise<{ deliveries: Delivery[]; next: string | null }> => {
      const { rows, next } = await store.webhooks.attempts(id, page);
      return { deliveries: await deliveryViews(store, rows, sees), next };
    },
    /** Sends an event again, also if the webhook rests. @throws HubError delivery_not_found */
    retry: async (webhook: WebhookRow, eventId: string, sees: Sees): Promise<Delivery> => {
      const row = await store.webhooks.retry(webhook.id, eventId, now());
      if (row === undefined) throw new HubError('delivery_not_found');
      if (webhook.restUntil !== null) await update(webhook, { restUntil: null });
      due(webhook.id);
      const [delivery] = await deliveryViews(store, [row], sees);
      return delivery as Delivery;
    },
    /** Sends all kept events from a time on (epoch milliseconds) again, with their ids. Returns the new state. */
    replay: async (webhook: WebhookRow, since: number): Promise<WebhookRow> => {
      const place = await store.events.placeBefore(webhook.projectId, since);
      if (place === undefined || place >= webhook.cursor) return webhook;
      const moved = await update(webhook, { cursor: place, restUntil: null });
      due(webhook.id);
      return moved;
    },
  };
};
