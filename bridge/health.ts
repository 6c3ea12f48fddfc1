import type { BridgeOptions } from '../bridge-protocol/client/bridge.ts';
import { ask } from './adapter.ts';
import { playerSlots, playersOnline } from './natives.ts';

const LOOK_EVERY_MS = 10_000;
/** A database that answers more slowly than this is reported as not healthy. */
const SLOW_MS = 500;

type Status = ReturnType<NonNullable<BridgeOptions['status']>>;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The health of the game's database and thread, measured at intervals; `status` reports the last measurement. */
export const createHealth = ({ hasDatabase }: { hasDatabase: boolean }) => {
  let database: Status['database'];
  let tickMs: number | undefined;
  let restartAt: number | undefined;

  const askDatabase = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      await ask('ping');
      const latencyMs = Math.round((performance.now() - startedAt) * 10) / 10;
      database = { engine: 'mysql', status: latencyMs > SLOW_MS ? 'warn' : 'pass', latencyMs };
    } catch {
      database = { engine: 'mysql', status: 'fail' };
    }
  };

  const look = async (): Promise<void> => {
    if (hasDatabase) await askDatabase();
    await turn();
    const startedAt = performance.now();
    await turn();
    tickMs = Math.round(performance.now() - startedAt);
  };

  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  void look();
  return {
    status: (): Status => {
      const max = playerSlots();
      return {
        players: { online: playersOnline(), ...(max > 0 ? { max } : {}) },
        ...(database === undefined ? {} : { database }),
        ...(tickMs === undefined ? {} : { tickMs }),
        ...(restartAt === undefined ? {} : { restartAt }),
      };
    },
    /** Notes the announced restart, epoch milliseconds; 0: there is none. */
    restarts: (at: number): void => {
      restartAt = Math.round(at);
    },
    close: (): void => clearInterval(timer),
  };
};
