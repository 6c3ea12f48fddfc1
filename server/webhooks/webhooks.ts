import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { AttemptRow, WebhookPatch, WebhookRow } from '../../db/queries/webhooks.ts';
import type { Store } from '../../db/store.ts';
import type { Background, Phase } from '../platform/background.ts';
import type { Config } from '../platform/config.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { Seal } from '../platform/seal.ts';
import { isoTime } from '../platform/time.ts';
import { Addresses } from './address.ts';
import { createPost, type Posted } from './post.ts';
import { HEALTHY } from './retries.ts';
import { createSender, signedPost } from './sender.ts';
import { newSigningSecret } from './signature.ts';

export const MAX_WEBHOOKS = 50;
/** How long the secret before a rotation still signs. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;
/** How long attempts that are over are kept. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** Events that are counted, of those that a webhook has not been sent yet. */
const MOST_COUNTED = 1_000;

type Deps = {
  store: Store;
  background: Background;
  config: Pick<Config, 'SECRET_KEY' | 'WEBHOOKS_MAY_REACH'>;
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
type Shown = { row: WebhookRow; secret: string };

/** Webhooks to others: makes and changes them, and sends the events of their projects. */
export const createWebhooks = (deps: Deps) => {
  const { store, config, log, isAlone, now = Date.now } = deps;
  const seal = new Seal(config.SECRET_KEY);
  const addresses = new Addresses({ reach: config.WEBHOOKS_MAY_REACH });
  const cut = new AbortController();
  setMaxListeners(0, cut.signal);
  const post = createPost({ addresses, signal: cut.signal });
  const sender = createSender({
    ...deps,
    seal,
    post,
    switchedOff: async (webhook, off) => {
      log.warn({ webhookId: webhook.id, projectId: webhook.projectId, off }, 'a webhook was switched off');
    },
  });

  /** @throws HubError invalid_request */
  const readUrl = (url: string): string => {
    const read = addresses.read(url);
    if ('fault' in read) throw invalidField('/url', read.fault);
    return read.url.href;
  };

  /** @throws HubError webhook_not_found */
  const update = async ({ projectId, id }: WebhookRow, patch: WebhookPatch): Promise<WebhookRow> => {
    const changed = await store.webhooks.update(projectId, id, patch, now());
    if (changed === undefined) throw new HubError('webhook_not_found');
    return changed;
  };

  return {
    /** Undefined: there is none in the project. */
    find: (projectId: string, id: string): Promise<WebhookRow | undefined> => store.webhooks.get(projectId, id),
    list: (projectId: string): Promise<WebhookRow[]> => store.webhooks.list(projectId),
    /** The address, in clear. @throws SealError */
    urlOf: ({ url, id }: WebhookRow): string => seal.open(url, id),
    /**
     * The project keeps its events from now on; the webhook gets those that come after this.
     * @throws HubError invalid_request, quota_exceeded
     */
    create: async (
      project: Pick<ProjectRow, 'id'>,
      maker: WebhookRow['maker'],
      { url, ...settings }: Settings & { url: string },
    ): Promise<Shown> => {
      const id = newId('whk');
      const at = now();
      const sealed = seal.seal(readUrl(url), id);
      await store.events.setKeeping(project.id, true, at);
      const cursor = (await store.events.last(project.id))?.seq ?? 0;
      const secret = newSigningSecret();
      const row = {
        ...{ id, projectId: project.id, ...settings, url: sealed, maker, cursor, createdAt: at, updatedAt: at },
        ...{ ...HEALTHY, off: null, offAt: null, workNode: null, workUntil: null },
        secrets: [{ sealed: seal.seal(secret, id), expiresAt: null }],
      };
      const stored = await store.webhooks.create(row, MAX_WEBHOOKS);
      if (stored === 'inserted') return { row, secret };
      throw new HubError('quota_exceeded', `A project may have ${MAX_WEBHOOKS} webhooks. Delete one.`);
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
        ...(url !== undefined && { url: seal.seal(readUrl(url), row.id) }),
        ...(on === false && { off: 'paused', offAt: now() }),
        ...(on === true && { ...HEALTHY, off: null, offAt: null }),
      });
      if (on === true) await store.webhooks.wake(row.id, now());
      return changed;
    },
    remove: ({ projectId, id }: WebhookRow): Promise<void> => store.webhooks.remove(projectId, id),
    /** A new secret. Posts are signed with the one before, too, for a day. @throws HubError webhook_not_found */
    rotate: async (row: WebhookRow): Promise<Shown> => {
      const secret = newSigningSecret();
      const [current] = row.secrets;
      const before = current === undefined ? [] : [{ ...current, expiresAt: now() + OVERLAP_MS }];
      const secrets = [{ sealed: seal.seal(secret, row.id), expiresAt: null }, ...before];
      return { row: await update(row, { secrets }), secret };
    },
    /** Sends an event that nobody has caused, now and once, on the way of all others. @throws SealError */
    test: async (webhook: WebhookRow): Promise<Posted & { tookMs: number }> => {
      const at = now();
      const id = `evt_${randomBytes(20).toString('hex')}`;
      const { projectId } = webhook;
      const data = { webhookId: webhook.id };
      const event = { id, type: 'webhook.test', at: isoTime(at), projectId, serverId: '', revision: 1, data };
      const start = performance.now();
      const posted = await signedPost({ post, seal }, webhook, { id, body: JSON.stringify(event), at });
      return { ...posted, tookMs: Math.round(performance.now() - start) };
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
