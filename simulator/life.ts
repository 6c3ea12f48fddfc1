import { ACTIVITIES } from './activities.ts';
import type { WorldEdit } from './edit.ts';
import { createRandom, type Random } from './random.ts';
import type { World } from './world.ts';

/** One in this many players does something in a step. */
const PLAYERS_PER_EVENT = 100;
const MAX_EVENTS = 200;
/** The share of the visited offline players that joins. */
const JOINING = 0.3;
const FOLD_EVERY_STEPS = 10_000;

/**
 * The life of a world: players join, leave, earn, spend and move their cars. Each step is one transaction. A step
 * depends only on the world, its seed and the step number, so it can be repeated.
 */
export const createLife = ({ world, onError }: { world: World; onError?: (error: unknown) => void }) => {
  const [first, ...others] = world.identifiers();
  const everybody: readonly [string, ...string[]] | undefined = first === undefined ? undefined : [first, ...others];
  let timer: NodeJS.Timeout | undefined;
  let tookMs = 0;

  const live = (edit: WorldEdit, random: Random, now: number): void => {
    if (everybody === undefined) return;
    const identifier = random.pick(everybody);
    const presence = edit.presence(identifier);
    if (presence?.online) {
      const player = edit.player(identifier);
      if (player !== undefined) random.pick(ACTIVITIES)({ edit, player, random });
    } else if (presence !== undefined && presence.awayUntil <= now && random.chance(JOINING)) {
      edit.join(identifier);
    }
  };

  const step = (): void => {
    const startedAt = performance.now();
    const now = world.transact((edit) => {
      const number = world.advance();
      const random = createRandom(world.seed, number, 0x11fe);
      const events = Math.min(MAX_EVENTS, Math.ceil((others.length + 1) / PLAYERS_PER_EVENT));
      for (let nth = 0; nth < events; nth++) live(edit, random, number);
      return number;
    });
    if (now % FOLD_EVERY_STEPS === 0) world.foldLedger();
    tookMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
  };

  const stepOnTime = (): void => {
    try {
      step();
    } catch (error) {
      onError?.(error);
    }
  };

  return {
    step,
    /** How long the last step took. */
    tookMs: () => tookMs,
    /** Runs a step every `everyMs`, until `stop`. */
    start: (everyMs: number): void => {
      timer ??= setInterval(stepOnTime, everyMs);
    },
    stop: (): void => {
      clearInterval(timer);
      timer = undefined;
    },
  };
};
