import type { Player } from '../../bridge-protocol/wire/player.ts';
import type { Hub } from '../hub/hub.ts';
import { Breach, type Findings } from '../judges/findings.ts';
import type { Waits } from '../line/watch.ts';

/** The lists of a record that a bridge may leave empty for all players. */
export type Reported = 'inventory' | 'vehicles';

type Expected = {
  kind: Reported;
  isShown: (player: Player) => boolean;
  /** The event that a result has reported. */
  what: string;
  /** The state of a record, for people. */
  tell: (player: Player) => string;
};

type ReportsOptions = {
  hub: Hub;
  waits: Waits;
  findings: Findings;
  target: () => string;
  read: (identifier: string) => Promise<{ error?: { code: string } | undefined }>;
  happens: <T>(look: () => T | undefined, ms: number) => Promise<T | undefined>;
};

/** The records of the player that commands act on, as the bridge reports them. */
export const createReports = ({ hub, waits, findings, target, read, happens }: ReportsOptions) => {
  const reported = (): Player | undefined => hub.roster.record(target());

  /** Waits for a report that shows a state; the last record otherwise. */
  const awaited = async (isShown: (player: Player) => boolean): Promise<boolean> => {
    const look = (): true | undefined => {
      const player = reported();
      return player !== undefined && isShown(player) ? true : undefined;
    };
    return (await happens(look, waits.answerMs)) === true;
  };

  return {
    reported,
    awaited,
    /** The record of now. A bridge that reads none gets the time that it has for its reports. */
    record: async (): Promise<Player | undefined> => {
      const { error } = await read(target());
      if (error !== undefined) await happens(() => undefined, waits.answerMs);
      return reported();
    },
    /** @throws Breach of R53 when only `players.read` shows the state, and of R31 when the record shows another one */
    expectShown: async ({ kind, isShown, what, tell }: Expected): Promise<void> => {
      const isSeen = await awaited(isShown);
      // Where no record has any, one without the given one proves nothing.
      if (!hub.roster.shows(kind)) {
        return findings.skipped('R53', { check: what, why: `the records of players have no ${kind}` });
      }
      if (isSeen) return findings.kept('R53');
      const { error } = await read(target());
      const player = reported();
      if (error === undefined && player !== undefined && !isShown(player)) {
        throw new Breach({ rule: 'R31', saw: `${what}, and the record of ${target()} has ${tell(player)}` });
      }
      throw new Breach({ rule: 'R53', saw: `${what}, and no players.changed said so within ${waits.answerMs} ms` });
    },
  };
};
export type Reports = ReturnType<typeof createReports>;
