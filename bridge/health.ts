import type { BridgeOptions } from '../bridge-protocol/client/bridge.ts';
import { ask } from './adapter.ts';
import { playerSlots, playersOnline } from './natives.ts';

const LOOK_EVERY_MS = 10_000;
/** Slower than this, the database is not well. */
const SLOW_MS = 500;

type Status = ReturnType<NonNullable<BridgeOptions['status']>>;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How the game's database and its thread do, looked at now and then; `status` answers what was seen last. */
export const createHealth = ({ hasDatabase }: { hasDatabase: boolean }) => {
  let database: Status['database'];
  let tickMs: number | undefined;

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
      };
    },
    close: (): void => clearInterval(timer),
  };
};
