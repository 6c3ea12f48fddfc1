import { type BridgeOptions, type BridgeState, createBridge } from '../bridge-protocol/client/bridge.ts';
import { openWebSocket } from '../bridge-protocol/ws.ts';
import { createWorldCommands } from './custom.ts';
import { ACCOUNTS } from './ledger.ts';
import { createLife } from './life.ts';
import { createReporter } from './reporter.ts';
import { openWorld, type World } from './world.ts';

export type SimulateOptions = {
  /** `ws://` or `wss://` address of the hub's bridge endpoint. */
  url: string;
  token: string;
  /** How many people a new world has. */
  players: number;
  /** Where the world is kept; in memory without one. */
  worldFile?: string;
  seed?: number;
  /** Time between two steps of life (default 1,000), or 0 for a world that stands still. */
  lifeEveryMs?: number;
  /** Other than a game server's; for tests that cannot wait. */
  timings?: BridgeOptions['timings'];
  log?: (level: 'info' | 'warn' | 'error', message: string) => void;
  onState?: (state: BridgeState, detail: string) => void;
};

const VERSION = '1.0.0';
const LIFE_EVERY_MS = 1_000;

/** How the world's own database does, measured with a read from it. */
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
 * A game server without a game: a living world behind a bridge that is already connecting.
 * @throws Error when the address is not one, or the world cannot be opened
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
    custom: createWorldCommands(world),
    accounts: ACCOUNTS,
    players: { snapshot: world.players, read: world.player },
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
    /** Says goodbye, lets running commands end, closes the world. */
    stop: (): Promise<void> => {
      stopping ??= stopOnce();
      return stopping;
    },
  };
};
