import { Breach, NotTried } from '../judges/findings.ts';
import { canPlay } from '../judges/players.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';

const WORDS = { true: 'can play', false: 'cannot play' };

/** Whether the player can play now; undefined if the bridge has no record. */
const playsNow = async ({ read }: Stage, who: string): Promise<boolean | undefined> => {
  const { player } = await read(who);
  return player && canPlay(player);
};

/** Compares what the bridge has reported with what it reads: commands that wait for a player leave by the reports. */
const expectTold = async (stage: Stage, who: string): Promise<void> => {
  const { hub, happens, waits } = stage;
  const is = await playsNow(stage, who);
  if (is === undefined) throw new NotTried(`players.read found no ${who}`);
  if (await happens(() => (hub.roster.plays(who) === is ? true : undefined), waits.answerMs)) return;
  // A player who has changed meanwhile proves nothing.
  if ((await playsNow(stage, who)) !== is) throw new NotTried(`${who} comes and goes`);
  const saw = `players.read says that ${who} ${WORDS[`${is}`]}, and no report said so within ${waits.answerMs} ms`;
  throw new Breach({ rule: 'R58', saw });
};

/** Checks of `playable` in the records of players. */
export const PLAYABLE_CHECKS: readonly Check[] = [
  {
    rules: ['R58'],
    name: 'reports who can play after it has come back',
    run: async (stage) => {
      const { hub, next, synced, target, cast } = stage;
      if (!hub.roster.shows('playable')) throw new NotTried('no record of a player has playable');
      const line = stage.line();
      line.cut();
      await synced(await next(line));
      for (const who of [target(), cast.other]) if (who !== undefined) await expectTold(stage, who);
    },
  },
];
