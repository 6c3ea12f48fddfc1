import type { Store } from '../../db/store.ts';
import { STEP_MS } from '../panel/statistics.ts';

const DAY_MS = 24 * 60 * 60_000;
/** The hour of local time at which most players are online. */
const FULLEST_HOUR = 21;
/** The share of them who are online when fewest are. */
const EMPTIEST = 0.3;

/** The share of a game server's slots in use at a time of the day, up to 1. */
const fullness = (at: number): number => {
  const date = new Date(at);
  const hour = date.getHours() + date.getMinutes() / 60;
  const wave = (1 + Math.cos(((hour - FULLEST_HOUR) / 24) * 2 * Math.PI)) / 2;
  return EMPTIEST + (1 - EMPTIEST) * wave;
};

/**
 * Writes the day before `now` (epoch milliseconds) into the charts of a demo, whose database has just been made. It is made
 * up: a wave of players that ends with those who are online now, at most `most`, and a few commands.
 */
export const seedHistory = async (
  { statistics }: Pick<Store, 'statistics'>,
  server: { projectId: string; serverId: string },
  { now, online, most }: { now: number; online: number; most: number },
): Promise<void> => {
  const running = now - (now % STEP_MS);
  const steps = Array.from({ length: DAY_MS / STEP_MS - 1 }, (_, nth) => {
    const at = running - (nth + 1) * STEP_MS;
    const full = fullness(at);
    // A little unrest, the same in each demo.
    const unrest = 1 + 0.04 * Math.sin(nth * 1.7) * Math.cos(nth * 0.37);
    return {
      ...server,
      at,
      online: Math.min(most, Math.round((online / fullness(now)) * full * unrest)),
      succeeded: Math.round(full * (1 + Math.sin(nth * 2.3))),
      refused: nth % 11 === 0 ? 1 : 0,
      failed: nth % 97 === 0 ? 1 : 0,
      unknown: 0,
    };
  });
  await statistics.add(steps);
};
