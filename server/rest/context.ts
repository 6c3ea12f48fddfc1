import type { HttpBindings } from '@hono/node-server';
import type { Logger } from 'pino';
import type { Database } from '../../db/port/database.ts';
import type { Store } from '../../db/store.ts';
import type { Credentials, Principal } from '../auth/credentials.ts';
import type { PanelSessions } from '../auth/panel-sessions.ts';
import type { RateLimit } from '../auth/rate-limit.ts';
import type { Events } from '../cluster/events.ts';
import type { Router } from '../cluster/router.ts';
import type { SessionViews } from '../cluster/session-views.ts';
import type { Commands } from '../commands/commands.ts';
import type { Deletion } from '../commands/deletion.ts';
import type { Statistics } from '../panel-api/statistics.ts';
import type { Background } from '../platform/background.ts';
import type { Backups } from '../platform/backups.ts';
import type { Config } from '../platform/config.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Tuning } from '../platform/tuning.ts';
import type { Players } from '../players/players.ts';

/** The parts of the hub for routes. */
export type RestDeps = {
  store: Store;
  database: Pick<Database, 'engine' | 'ping' | 'replication'>;
  /** The database for reading players, if it is another one. */
  replica: Pick<Database, 'engine' | 'ping' | 'replication'> | undefined;
  areWritesFailing: () => boolean;
  /** Undefined: none are made. */
  backups: Backups;
  router: Pick<Router, 'engine' | 'isUp' | 'find'>;
  sessionViews: SessionViews;
  commands: Commands;
  players: Players;
  credentials: Credentials;
  /** Empties the key cache of all nodes. */
  forgetKeys: () => void;
  panelSessions: PanelSessions;
  statistics: Statistics;
  rateLimit: RateLimit;
  panelRateLimit: RateLimit;
  events: Events;
  metrics: Metrics;
  background: Background;
  config: Config;
  tuning: Pick<Tuning, 'maxEventStreams'>;
  log: Logger;
  version: string;
  startedAt: number;
  isDraining: () => boolean;
  /** True if the hub started on a full disk: it refuses bridges and commands. */
  isReadOnly: () => boolean;
  /** The built panel; empty or absent: there is none. */
  panelFolder: string | undefined;
  /** Closes the sockets of a server whose token, state or existence changed. */
  closeServer: (projectId: string, serverId: string, name: 'invalid_token' | 'disabled') => void;
  deletion: Pick<Deletion, 'run'>;
};

/** Variables that the middleware sets for routes. */
export type RestEnv = {
  Bindings: HttpBindings;
  Variables: { requestId: string; principal: Principal };
};
