import type { CommandName } from '../../bridge-protocol/wire/commands.ts';
import type { Book, Command } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import type { Rule } from '../judges/rules.ts';

/** A number of one player that commands change, and how verify counts it. */
export type Tally = {
  /** The command that adds one. */
  name: CommandName;
  /** The counted thing: `bank`, `bread`, `vehicles`. */
  unit: string;
  /** The number as a text: `balance`, `number of vehicles`. */
  number: string;
  order: () => Command;
  /** The number before other commands. */
  begin: () => Promise<number>;
  /** The number after them; a number that is not expected may be a late report. */
  end: (isExpected: (count: number) => boolean) => Promise<number>;
  /** By how much the results say that it has moved. */
  known: () => number;
  /** Effects that were seen but that no result reports. */
  alsoMoved: (by: number) => void;
};

/** How often the read of a number that changes by itself is repeated. */
const LOOKS = 3;

type TallyOptions = {
  book: Book;
  account: string;
  target: () => string;
  money: (target: string) => Command;
  move: (delta: 1 | -1, player: string) => Promise<{ before: number; after: number }>;
};

type Measured = { rule: Rule; what: string; units: number; lost?: Rule; of?: Tally };
/** The change that the results of some commands say, and how many of them the bridge denied. */
type Effects = { least: number; most: number; denied?: number };

/** Measures the effects of commands on a number, by default on a balance. */
export const createTally = ({ book, account, target, money, move }: TallyOptions) => {
  /** Read through commands of one unit each. */
  const bank: Tally = {
    name: 'money',
    unit: account,
    number: 'balance',
    order: () => money(target()),
    begin: async () => (await move(1, target())).after,
    end: async () => (await move(-1, target())).before,
    known: () => book.movedBy(target()),
    alsoMoved: (by) => book.alsoMoved(target(), by),
  };

  /**
   * Reads a number before and after `work`, which returns the expected change. Up to `units` too much breaks `rule`, or
   * R32 if the denied commands explain it. Too little breaks `lost`. Other differences come from the game itself.
   */
  const moves = async (
    { rule, what, units, lost = rule, of = bank }: Measured,
    work: () => Promise<Effects>,
  ): Promise<void> => {
    for (let look = 0; look < LOOKS; look += 1) {
      const first = await of.begin();
      const before = of.known();
      const { least, most, denied = 0 } = await work();
      const known = of.known() - before;
      const moved = (await of.end((count) => count >= first + least && count <= first + most)) - first;
      const isOurs = moved >= least - units && moved <= most + units;
      if (isOurs) of.alsoMoved(moved - known);
      if (moved >= least && moved <= most) return;
      const tooMuch = moved - most;
      const isDenied = tooMuch > 0 && tooMuch <= denied;
      const said = `the results say ${least === most ? least : `${least} to ${most}`}`;
      const more = isDenied ? `, and ${denied} that had no effect` : '';
      const broken = isDenied ? 'R32' : moved < least ? lost : rule;
      const saw = `${what} moved ${of.unit} by ${moved}; ${said}${more}`;
      if (isOurs) throw new Breach({ rule: broken, saw });
    }
    throw new NotTried(`the ${of.number} of ${target()} moves by itself`);
  };

  return { bank, moves };
};
