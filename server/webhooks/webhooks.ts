import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { AttemptRow, WebhookPatch, WebhookRow } from '../../db/queries/webhooks.ts';
import type { Store } from '../../db/store.ts';
import { eventOfWebhook } from '../events/bodies.ts';
import type { KeptEvents } from '../events/kept.ts';
import type { Background, Phase } from '../platform/background.ts';
import type { Config } from '../platform/config.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { Jobs } from '../platform/jobs.ts';
import { NOWHERE, readReach } from '../platform/reach.ts';
import { Seal, SealError } from '../platform/seal.ts';
import { inTime, isoTime } from '../platform/time.ts';
import { Addresses } from './address.ts';
import { languageOf, maskedDiscord, readDiscord } from './discord.ts';
import { DiscordRounds } from './discord-rounds.ts';
import { TEXTS } from './discord-texts.ts';
import { createPost, type Posted } from './post.ts';
import { HEALTHY, isProbing } from './retries.ts';
import { createSender, signedPost } from './sender.ts';
import { newSigningSecret } from './signature.ts';

const MAX_WEBHOOKS = 50;
/** How long the secret before a rotation still signs. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;
/** How long attempts that are over are kept. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** Events that are counted, of those that a webhook has not been sent yet. */
const MOST_COUNTED = 1_000;

/** How long the answer about a new webhook waits until the project keeps all its events. */
const KEEP_WITHIN_MS = 5_000;

type Deps = {
  store: Store;
  keptEvents: Pick<KeptEvents, 'keep' | 'onTold' | 'heard'>;
  background: Background;
  config: Pick<Config, 'SECRET_KEY' | 'WEBHOOKS_MAY_REACH' | 'PUBLIC_URL'>;
  log: Logger;
  node: string;
  /** There is no other node. */
  isAlone: boolean;
  phase: Readonly<Pick<Phase, 'isDraining'>>;
  now?: () => number;
  random?: () => number;
};

type Settings = Pick<WebhookRow, 'format' | 'types' | 'servers' | 'names'>;
type Change = Partial<Omit<Settings, 'format'> & { url: string; on: boolean }>;
/** `secret`: null for Discord. */
type Shown = { row: WebhookRow; secret: string | null };
/** `since`: when the project began to keep all its events (epoch milliseconds); undefined: it will soon. */
type Made = Shown & { since: number | undefined };

/** Whether a key of some servers may see a webhook. */
const isWithin = ({ servers }: Pick<WebhookRow, 'servers'>, allowed: readonly string[] | undefined): boolean =>
  allowed === undefined || (servers?.every((each) => allowed.includes(each)) ?? false);

const isTroubled = (row: WebhookRow): boolean => (row.off === null ? isProbing(row) : row.off !== 'paused');

/** The address of a webhook up to its path, which may be a secret; null: it is sealed with another SECRET_KEY. */
export const originOf = ({ id, url }: Pick<WebhookRow, 'id' | 'url'>, seal: Seal): string | null => {
  try {
    return new URL(seal.open(url, id)).origin;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
};

/** Webhooks to others: makes and changes them, and sends the events of their projects. */
export const createWebhooks = (deps: Deps) => {
  const { store, keptEvents, background, config, log, isAlone, now = Date.now, random = Math.random } = deps;
  const seal = new Seal(config.SECRET_KEY);
  const addresses = new Addresses({ reach: readReach(config.WEBHOOKS_MAY_REACH ?? '') ?? NOWHERE });
  const cut = new AbortController();
  setMaxListeners(0, cut.signal);
  const post = createPost({ addresses, signal: cut.signal });
  const discord = new DiscordRounds({ store, seal, post, publicUrl: config.PUBLIC_URL, now, random });
  const sender = createSender({
    ...deps,
    ...{ seal, post, discord, now, random },
    switchedOff: async (webhook, off) => {
      log.warn({ webhookId: webhook.id, projectId: webhook.projectId, off }, 'a webhook was switched off');
      await store.events.tell(webhook.projectId, [eventOfWebhook(webhook, off, now())], []);
      keptEvents.heard(webhook.projectId);
    },
  });

  // A call may be lost; the next look finds the rows.
  const looks = new Jobs('look for webhooks', background, () => sender.check());
  keptEvents.onTold(() => looks.start('all'));

  /** @throws HubError invalid_request */
  const readUrl = (text: string, format: WebhookRow['format']): string => {
    const given = addresses.read(text);
    const isDiscord = format === 'discord' && 'url' in given;
    const read = isDiscord ? readDiscord(given.url, addresses.isAllowed(given.url)) : given;
    if ('fault' in read) throw invalidField('/url', read.fault);
    return read.url.href;
  };

  /** @throws HubError webhook_not_found */
  const update = async ({ projectId, id }: WebhookRow, patch: WebhookPatch): Promise<WebhookRow> => {
    const changed = await store.webhooks.update(projectId, id, patch, now());
    if (changed === undefined) throw new HubError('webhook_not_found');
    return changed;
  };

  const testJson = (webhook: WebhookRow, at: number): Promise<Posted> => {
    const id = newId('evt');
    const data = { webhookId: webhook.id };
    const event = { id, type: 'webhook.test', timestamp: isoTime(at), serverId: '', revision: 1, data };
    return signedPost({ post, seal }, webhook, { id, body: JSON.stringify(event), at });
  };
  const testDiscord = async (webhook: WebhookRow): Promise<Posted> => {
    const project = await store.projects.byId(webhook.projectId);
    return discord.test(webhook, TEXTS[languageOf(project?.language ?? null)].test);
  };

  /** The webhooks of a project, oldest first. `servers`: of a limited key, which sees those that get nothing of others. */
  const list = async (projectId: string, servers?: readonly string[]): Promise<WebhookRow[]> => {
    const rows = await store.webhooks.list(projectId);
    return rows.filter((row) => isWithin(row, servers));
  };

  return {
    /** Undefined: there is none in the project, or the key does not see it. */
    find: async (projectId: string, id: string, servers?: readonly string[]): Promise<WebhookRow | undefined> => {
      const row = await store.webhooks.get(projectId, id);
      return row !== undefined && isWithin(row, servers) ? row : undefined;
    },
    list,
    /** How many webhooks a person should look at: the hub has switched them off, or nothing arrives at them. */
    countTroubled: async (projectId: string, servers?: readonly string[]): Promise<number> =>
      (await list(projectId, servers)).filter(isTroubled).length,
    /** The webhooks that a key has made. They go on without it. */
    ofKey: async (projectId: string, keyId: string): Promise<WebhookRow[]> =>
      (await list(projectId)).filter(({ maker }) => maker.keyId === keyId),
    /** The address up to its path, which may be a secret; null: it is sealed with another SECRET_KEY. */
    originOf: (row: WebhookRow): string | null => originOf(row, seal),
    /** The address as it is shown; null: it is sealed with another SECRET_KEY. Those of Discord are secrets. */
    urlOf: ({ url, id, format }: WebhookRow): string | null => {
      try {
        const opened = seal.open(url, id);
        return format === 'discord' ? maskedDiscord(opened) : opened;
      } catch (error) {
        if (error instanceof SealError) return null;
        throw error;
      }
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
      return { row, secret, since: await inTime(keptEvents.keep(project.id), KEEP_WITHIN_MS) };
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
    /** Sends an event that nobody has caused, now and once, on the way of all others. @throws HubError store_unavailable */
    test: async (webhook: WebhookRow): Promise<Posted & { tookMs: number }> => {
      const at = now();
      const start = performance.now();
      try {
        const posted = await (webhook.format === 'discord' ? testDiscord(webhook) : testJson(webhook, at));
        return { ...posted, tookMs: Math.round(performance.now() - start) };
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        const detail = 'The hub cannot read the secret of this webhook.';
        throw new HubError('store_unavailable', detail, { retryAfterS: 60 });
      }
    },
    /** How many events come after its place, counted up to a thousand; those that it does not get too. */
    behind: ({ projectId, cursor }: WebhookRow): Promise<number> =>
      store.events.countAfter(projectId, cursor, MOST_COUNTED),
    /** Sends an event again. @throws HubError delivery_not_found */
    retry: async (webhook: WebhookRow, eventId: string): Promise<AttemptRow> => {
      const row = await store.webhooks.retry(webhook.id, eventId, now());
      if (row === undefined) throw new HubError('delivery_not_found');
      sender.start(webhook.id);
      return row;
    },
    /** Sends all kept events from a time on (epoch milliseconds) again, with their ids. Returns the new state. */
    replay: async (webhook: WebhookRow, since: number): Promise<WebhookRow> => {
      const place = await store.events.placeBefore(webhook.projectId, since);
      if (place === undefined || place >= webhook.cursor) return webhook;
      const moved = await update(webhook, { cursor: place });
      sender.start(webhook.id);
      return moved;
    },
    sender,
    /** On start: ends the work that an earlier process has left. */
    takeOver: async (): Promise<void> => {
      if (isAlone) await store.webhooks.releaseAll();
    },
    check: (): Promise<void> => sender.check(),
    renew: (): Promise<void> => sender.renew(),
    tidy: (): Promise<void> => store.webhooks.pruneAttempts(now() - KEPT_MS),
    /** Cuts off what is on its way: it is sent again after the start. `phase` says already that the hub stops. */
    stop: (): void => cut.abort(),
  };
};
export type Webhooks = ReturnType<typeof createWebhooks>;
