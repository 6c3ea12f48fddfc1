import type { Database } from '../../db/database.ts';
import type { Store } from '../../db/store.ts';
import type { ServerAdmin } from '../admin/servers.ts';
import type { createCredentials } from '../auth/credentials.ts';
import type { NodeRateLimit, RateLimit } from '../auth/limits.ts';
import type { PanelSessions } from '../auth/panel-sessions.ts';
import type { Bus } from '../cluster/bus.ts';
import type { Events } from '../cluster/events.ts';
import type { Membership } from '../cluster/membership.ts';
import type { Router } from '../cluster/router.ts';
import type { Commands } from '../commands/commands.ts';
import type { KeptEvents } from '../events/kept.ts';
import type { Catalogues } from '../panel/catalogues.ts';
import type { Statistics } from '../panel/statistics.ts';
import type { Background, Phase } from '../platform/background.ts';
import type { createBackups } from '../platform/backups.ts';
import type { Config, Tuning } from '../platform/config.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { createPlayers } from '../players/players.ts';
import type { createShops } from '../shops/shops.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

/** The parts of a hub, which hub.ts makes. Each user names the parts that it needs, with Pick. */
export type HubParts = {
  node: string;
  store: Store;
  database: Database;
  areWritesFailing: () => boolean;
  /** Regular copies of the database; undefined without BACKUP_FOLDER. */
  backups: ReturnType<typeof createBackups>;
  router: Router;
  bus: Bus;
  membership: Membership;
  catalogues: Catalogues;
  commands: Commands;
  players: ReturnType<typeof createPlayers>;
  servers: ServerAdmin;
  shops: ReturnType<typeof createShops>;
  webhooks: Webhooks;
  credentials: ReturnType<typeof createCredentials>;
  /** Empties the key cache of all nodes. */
  forgetKeys: () => void;
  rateLimit: RateLimit;
  /** Counts what people ask of the panel, and keys with a limit of their own. */
  nodeRateLimit: NodeRateLimit;
  panelSessions: PanelSessions;
  statistics: Statistics;
  events: Events;
  keptEvents: KeptEvents;
  metrics: Metrics;
  background: Background;
  config: Config;
  tuning: Tuning;
  log: Log;
  version: string;
  startedAt: number;
  phase: Readonly<Phase>;
  /** The built panel; empty or absent: there is none. */
  panelFolder: string | undefined;
};

/** The parts of the hub that the gateway needs. */
export type GatewayDeps = Pick<
  HubParts,
  | 'store'
  | 'router'
  | 'bus'
  | 'membership'
  | 'commands'
  | 'players'
  | 'credentials'
  | 'events'
  | 'metrics'
  | 'background'
  | 'config'
  | 'tuning'
  | 'log'
  | 'phase'
>;
