import type { Logger } from 'pino';
import type { Store } from '../../db/store.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { Bus } from '../cluster/bus.ts';
import type { Events } from '../cluster/events.ts';
import type { Membership } from '../cluster/membership.ts';
import type { Router } from '../cluster/router.ts';
import type { Commands } from '../commands/commands.ts';
import type { Background } from '../platform/background.ts';
import type { Config } from '../platform/config.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Tuning } from '../platform/tuning.ts';
import type { Players } from '../players/players.ts';

/** The parts of the hub that the gateway needs. */
export type GatewayDeps = {
  store: Store;
  router: Router;
  bus: Pick<Bus, 'ask' | 'tell' | 'spread'>;
  membership: Pick<Membership, 'isHeld' | 'crashed'>;
  commands: Commands;
  players: Players;
  credentials: Credentials;
  events: Events;
  metrics: Metrics;
  background: Background;
  config: Config;
  tuning: Tuning;
  log: Logger;
  /** True when the hub is about to stop and accepts no bridges. */
  isDraining: () => boolean;
  isReadOnly: () => boolean;
  now: () => number;
};
