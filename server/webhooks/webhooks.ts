import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { Store } from '../../db/store.ts';
import { eventOfWebhook } from '../events/bodies.ts';
import type { KeptEvents } from '../events/kept.ts';
import type { Background, Phase } from '../platform/background.ts';
import type { Config } from '../platform/config.ts';
import { Jobs } from '../platform/jobs.ts';
import type { Metrics } from '../platform/metrics.ts';
import { openWay, webhookAdmin } from './admin.ts';
import type { Posted } from './post.ts';
import { isDelivered } from './rounds.ts';
import { createSender } from './sender.ts';

/** How long attempts that are over are kept. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

type Deps = {
  store: Store;
  keptEvents: Pick<KeptEvents, 'keep' | 'onTold' | 'heard'>;
  background: Background;
  metrics: Pick<Metrics, 'webhookPosts' | 'webhooksOff' | 'webhooksWaiting' | 'webhooksBehind'>;
  config: Pick<Config, 'SECRET_KEY' | 'WEBHOOKS_MAY_REACH' | 'PUBLIC_URL'>;
  log: Logger;
  node: string;
  phase: Readonly<Pick<Phase, 'isDraining'>>;
  now?: () => number;
  random?: () => number;
};

/** Webhooks to others: makes and changes them, and sends the events of their projects. */
export const createWebhooks = (deps: Deps) => {
  const { store, keptEvents, background, metrics, config, log, now = Date.now, random = Math.random } = deps;
  const cut = new AbortController();
  setMaxListeners(0, cut.signal);
  const ended = (posted: Posted): void =>
    metrics.webhookPosts.inc({ result: posted.fault ?? (isDelivered(posted) ? 'delivered' : 'refused') });
  const way = openWay({ store, config, signal: cut.signal, ended, now, random });
  const sender = createSender({
    ...{ store, background, log, now, random, node: deps.node, phase: deps.phase },
    ...{ seal: way.seal, post: way.post, discord: way.discord },
    switchedOff: async (webhook, off) => {
      log.warn({ webhookId: webhook.id, projectId: webhook.projectId, off }, 'a webhook was switched off');
      await store.events.tell(webhook.projectId, [eventOfWebhook(webhook, off, now())], []);
      keptEvents.heard(webhook.projectId);
    },
  });
  const admin = webhookAdmin({ store, way, keep: (id) => keptEvents.keep(id), due: sender.start, now });

  // A call may be lost; the next look finds the rows.
  const looks = new Jobs('look for webhooks', background, () => sender.check());
  keptEvents.onTold(() => looks.start('all'));

  return {
    ...admin,
    sender,
    check: sender.check,
    renew: sender.renew,
    /** Once a minute: deletes old attempts, and counts what is owed. */
    tidy: async (): Promise<void> => {
      await store.webhooks.pruneAttempts(now() - KEPT_MS);
      const { waiting, off, places } = await store.webhooks.totals();
      metrics.webhooksWaiting.set(waiting);
      metrics.webhooksOff.set(off);
      const next = await Promise.all(places.map(({ projectId, cursor }) => store.events.after(projectId, cursor, 1)));
      const oldestAt = Math.min(now(), ...next.flat().map(({ at }) => at));
      metrics.webhooksBehind.set((now() - oldestAt) / 1_000);
    },
    /** Cuts off what is on its way: it is sent again after the start. `phase` says already that the hub stops. */
    stop: (): void => cut.abort(),
  };
};
export type Webhooks = ReturnType<typeof createWebhooks>;
