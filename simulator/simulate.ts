import { type BridgeOptions, type BridgeState, createBridge } from '../bridge-protocol/client/bridge.ts';
import type { PlayersSource } from '../bridge-protocol/client/options.ts';
import { openWebSocket } from '../bridge-protocol/ws.ts';
import { createWorldCommands } from './custom.ts';
import { CATALOGUES } from './goods.ts';
import { ACCOUNTS } from './ledger.ts';
import { createLife } from './life.ts';
import { reportOf } from './people.ts';
import { createReporter } from './reporter.ts';
import { openWorld, type World } from './world.ts';

export type SimulateOptions = {
  /** `ws://` or `wss://` address of the hub's bridge endpoint. */
  url: string;
  token: string;
  /** Number of players in a new world. */
  players: number;
  /** Path of the world's file; without it the world is in memory. */
  worldFile?: string;
  seed?: number;
  /** Time between two steps of life (default 1,000), or 0 for a world that does not change by itself. */
  lifeEveryMs?: number;
  /** Shorter times than those of a game server, for tests. */
  timings?: BridgeOptions['timings'];
  log?: (level: 'info' | 'warn' | 'error', message: string) => void;
  onState?: (state: BridgeState, detail: string) => void;
};

const VERSION = '1.0.0';

/** The players of a world for its bridge: all there are. */
const playersOf = (world: World): PlayersSource => ({
  snapshot: function* () {
    for (const player of world.players()) yield reportOf(player);
  },
  read: (identifier) => {
    const player = world.player(identifier);
    return player && reportOf(player);
  },
  complete: () => true,
});
const LIFE_EVERY_MS = 1_000;

/** Reports the health of the world's database, measured by a read from it. */
const probe = (world: World) => {
  const startedAt = performance.now();
  try {
    const players = world.count();
    const latencyMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
    return { players, database: { engine: 'sqlite', status: 'pass' as const, latencyMs } };
  } catch {
    return { database: { engine: 'sqlite', status: 'fail' as const } };
  }
};

/**
 * A game server without a game: a world that changes by itself, and a bridge that connects at once.
 * @throws Error when the address is not valid, or the world cannot be opened
 */
export const simulate = ({
  url,
  token,
  players,
  worldFile,
  seed,
  lifeEveryMs = LIFE_EVERY_MS,
  timings,
  log = () => {},
  onState,
}: SimulateOptions) => {
  const openSocket = openWebSocket({ url, token });
  const world = openWorld({
    players,
    ...(worldFile === undefined ? {} : { file: worldFile }),
    ...(seed === undefined ? {} : { seed }),
  });
  const life = createLife({
    world,
    onError: (error) => log('error', `A step of life failed: ${String(error)}`),
  });
  const bridge = createBridge({
    openSocket,
    software: { name: 'causeway-simulator', version: VERSION, game: 'simulated' },
    journal: world.journal,
    commands: world.commands,
    versions: { announce: 2 },
    custom: createWorldCommands(world),
    accounts: ACCOUNTS,
    players: playersOf(world),
    catalogues: CATALOGUES,
    status: () => (lifeEveryMs > 0 ? { ...probe(world), tickMs: life.tookMs() } : probe(world)),
    log,
    ...(timings === undefined ? {} : { timings }),
    ...(onState === undefined ? {} : { onState }),
  });

  let online = world.count().online;
  const reporter = createReporter({
    world,
    report: (change) => {
      bridge.changed(change);
      const now = world.count().online;
      if (now !== online) bridge.reportStatus();
      online = now;
    },
    onError: (error) => log('error', `The changes of the world could not be read: ${String(error)}`),
  });

  let stopping: Promise<void> | undefined;
  const stopOnce = async (): Promise<void> => {
    life.stop();
    try {
      await bridge.stop('The simulation ends.');
    } finally {
      reporter.close();
      world.close();
    }
  };

  bridge.start();
  if (lifeEveryMs > 0) life.start(lifeEveryMs);
  return {
    bridge,
    world,
    life,
    /** Says goodbye, waits for running commands, closes the world. */
    stop: (): Promise<void> => {
      stopping ??= stopOnce();
      return stopping;
    },
  };
};
