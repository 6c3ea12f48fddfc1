import type { Logger } from 'pino';
import type { ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { Store } from '../../db/store.ts';
import type { Events, HubEvent } from '../cluster/events.ts';
import { addressOf } from '../cluster/router.ts';
import type { Commands } from '../commands/commands.ts';
import type { Catalogues } from '../panel/catalogues.ts';
import type { Background } from '../platform/background.ts';
import type { Config } from '../platform/config.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Phase } from '../platform/shutdown.ts';
import { createBinding } from './binding.ts';
import { createBuyers } from './buyers.ts';
import { createDecisions } from './decisions.ts';
import { createHints } from './hints.ts';
import { integrationAdmin } from './integrations.ts';
import { createKeep } from './keep.ts';
import { createChange } from './line-change.ts';
import { createLines } from './lines.ts';
import { createIsForAnother, createMatching } from './matching.ts';
import { createReadyLine } from './packages.ts';
import { createPlace } from './place.ts';
import { createPreview } from './preview.ts';
import { createReceive } from './receive.ts';
import { createRefunds } from './refunds.ts';
import { createSeal } from './seal.ts';
import { createWorker } from './worker.ts';

type Deps = {
  store: Store;
  catalogues: Catalogues;
  commands: Commands;
  events: Events;
  metrics: Metrics;
  background: Background;
  config: Pick<Config, 'SECRET_KEY'>;
  log: Logger;
  node: string;
  /** There is no other node. */
  isAlone: boolean;
  phase: Readonly<Pick<Phase, 'isDraining'>>;
  now?: () => number;
};

/** Ids and servers that are remembered between two looks; what is forgotten is found by the rows' own times. */
const REMEMBERED = 10_000;

/** This often, a node looks for what another node has left. */
const LOOK_EVERY_MS = 60_000;

/** Events after which a line that waits may go on. */
const WAKING: ReadonlySet<string> = new Set(['bridge.connected', 'player.joined', 'players.synced']);

const createMemory = () => {
  const entries = new Set<string>();
  return {
    add: (entry: string): void => {
      if (entries.size < REMEMBERED) entries.add(entry);
    },
    take: (entry: string): boolean => entries.delete(entry),
    takeAll: (): string[] => {
      const all = [...entries];
      entries.clear();
      return all;
    },
  };
};

/** Orders of shops, from the webhook to the command and back. */
export const createShops = ({
  store,
  catalogues,
  commands,
  events,
  metrics,
  background,
  config,
  log,
  node,
  isAlone,
  phase,
  now = Date.now,
}: Deps) => {
  const seal = createSeal(config.SECRET_KEY);
  const buyers = createBuyers({ store });
  const place = createPlace({ store, submit: commands.submit });
  /** Commands whose good end matters, too. */
  const watched = createMemory();
  const ended = createMemory();
  /** Servers that lines wait for. */
  const awaited = createMemory();

  const forStaff = (line: Omit<ShopLineRow, 'seq'>): void => {
    const { projectId, integrationId, serverId, id, transaction, state, reason } = line;
    metrics.shopLines.inc({ state });
    events.publish(projectId, {
      type: 'integration.unmatched',
      serverId,
      data: { integrationId, id, transaction, state, reason },
    });
  };
  const change = createChange({ store, forStaff, now });
  const waits = ({ projectId, serverId }: ShopLineRow): void => awaited.add(addressOf(projectId, serverId));
  const shared = { store, place, change, watch: watched.add, waits, now };
  const refunds = createRefunds({ ...shared, takeBack: commands.takeBack });
  const readyLine = createReadyLine(commands);
  const matched = createMatching({ buyers, change, waits, now });
  const lines = createLines({ ...shared, matched, isForAnother: createIsForAnother({ buyers }), readyLine, refunds });
  const hints = createHints({ catalogues, customOf: commands.customOf });
  const worker = createWorker({ store, lines, node, background, log, forStaff, watch: watched.add, phase, now });
  const keep = createKeep({ store, change, forStaff, now });
  const receive = createReceive({ store, keep, seal, events, metrics, log, start: worker.start, now });

  let lookAt = 0;

  /** Notes what another node or an earlier process has left. */
  const look = async (): Promise<void> => {
    lookAt = Number.POSITIVE_INFINITY;
    try {
      await worker.catchUp();
      for (const { projectId, serverId } of await store.shopLines.serversThatWait(now())) {
        awaited.add(addressOf(projectId, serverId));
      }
    } finally {
      lookAt = performance.now() + LOOK_EVERY_MS;
    }
  };

  return {
    integrations: integrationAdmin({ store, seal, now }),
    preview: createPreview({ store, buyers, readyLine, hints, assertPossible: commands.assertPossible, now }),
    decisions: createDecisions({ store, change, now }),
    ...receive,
    /** Works on an integration now. */
    start: worker.start,
    /** Hears of players that a bridge of this node has reported, and that are stored. */
    reported: createBinding({ store, background, start: worker.start, now }),
    /** Handles an event of this node or another one. */
    heardOf: (projectId: string, { type, serverId, data: { id, status } }: HubEvent): void => {
      if (type === 'command.settled' && typeof id === 'string' && (watched.take(id) || status !== 'succeeded')) {
        ended.add(id);
      }
      if (WAKING.has(type) && awaited.take(addressOf(projectId, serverId))) {
        background.run('wake shop orders', () => store.shopLines.wake(projectId, serverId, now()));
      }
    },
    /** On start: ends what an earlier process has left. */
    takeOver: async (): Promise<void> => {
      if (isAlone) await store.integrations.releaseAll();
      await look();
    },
    /** Notes the ends of commands, and continues what is left to do. */
    check: async (): Promise<void> => {
      const ids = ended.takeAll();
      if (ids.length > 0) {
        await worker.ended(ids).catch((error: unknown) => {
          for (const id of ids) ended.add(id);
          throw error;
        });
      }
      // The look shares the reader's thread with searches. Orders must not wait for a search.
      if (performance.now() >= lookAt) background.run('look at shop orders', look);
      await worker.check();
    },
  };
};
export type Shops = ReturnType<typeof createShops>;
