import { commandTag } from '../bridge-protocol/wire/commands.ts';
import { GARAGES, GRADES } from '../simulator/goods.ts';
import { until } from '../tests/kit/until.ts';
import { CALLED, type Called, type Goods, type Offer } from './calls.ts';
import { createCourt } from './court.ts';
import type { Stocks } from './stock.ts';

/** The bridge of a server, as `GET /api/v2/servers/{id}` shows it. */
export type Announced = { commands: string[]; journalClass: string; classes: Record<string, string> };
type World = { goods?: Goods | undefined; mayDoubt: boolean };

/** Items that the life of the simulated game does not move. Two lots of one item have stacks of their own. */
export const SIMULATED_GOODS: Goods = {
  items: [
    { item: 'bandage' },
    { item: 'iron_ore' },
    { item: 'coffee' },
    { item: 'lockpick', metadata: { lot: 1 } },
    { item: 'lockpick', metadata: { lot: 2 } },
  ],
  models: ['adder', 'sultan', 'taxi'],
  garages: ['lot_1', 'lot_2', 'lot_3', 'lot_4', 'lot_5'],
  jobs: ['police', 'ambulance', 'taxi', 'fisher'],
  grades: GRADES.length,
  ownGarages: [...GARAGES, null],
};

type Server = { bridge: Announced | null };

/** The announcement of the bridge, as soon as the hub has it. */
export const announcedBy = async (look: () => Promise<Server | undefined>): Promise<Announced> => {
  const found: Announced[] = [];
  await until(async () => {
    const { bridge } = (await look()) ?? {};
    if (bridge) found.push(bridge);
    return bridge != null;
  }, 'the commands are announced');
  return found[0] as Announced;
};

/** The commands that this bridge announces and chaos can check. */
const offerOf = ({ commands }: Announced, goods: Goods | undefined): Offer => {
  const isChecked = (name: Called): boolean => name === 'money' || goods !== undefined;
  const [first = 'money', ...more] = CALLED.filter((name) => isChecked(name) && commands.includes(commandTag(name)));
  return { commands: [first, ...more], goods };
};

/** The commands that runs over this bridge request, and how they are judged. */
export const termsOf = (announced: Announced, world: World, stocks: Stocks | undefined) => {
  const { journalClass, classes } = announced;
  const goods = stocks && world.goods;
  return {
    offer: offerOf(announced, goods),
    /** Judges commands that change goods. */
    court: stocks && createCourt(stocks.saved, goods?.ownGarages),
    /** Whether a command of this name may stay indeterminate. */
    mayDoubt: (name: string): boolean =>
      name === 'money' ? world.mayDoubt : (classes[commandTag(name as Called)] ?? journalClass) !== 'atomic',
  };
};
export type Terms = ReturnType<typeof termsOf>;
