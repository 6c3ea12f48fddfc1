import type { Player } from '../../bridge-protocol/wire/player.ts';
import type { Result } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import { endedAs, plainPlate, vehiclesOf } from '../stage/goods.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';
import { expectRefusal } from './refusals.ts';

/** Gives a vehicle whose plate the game makes up; returns the plate. */
const give = async ({ goods, carryOut }: Stage, model: string): Promise<string> => {
  const sent = goods.vehicle({ action: 'give', model });
  const result = await carryOut(sent);
  if (result.status !== 'done') throw new NotTried(endedAs(sent, result));
  return plainPlate(result.data?.['plate']);
};

/** @throws Breach when the bridge does not find a vehicle that it has given */
const expectFound = (plate: string, { error }: Result): void => {
  if (error?.code !== 'vehicle_not_found') return;
  throw new Breach({ rule: 'R31', saw: `${plate} was given, and the next command did not find it` });
};

const telling = (plate: string) => (player: Player) => {
  const [found] = vehiclesOf(player, plate);
  return found === undefined ? `no vehicle ${plate}` : JSON.stringify({ ...found, metadata: undefined });
};

const livesThrough = async (stage: Stage): Promise<void> => {
  const { goods, carryOut, expectShown, acknowledge, findings } = stage;
  const model = await goods.choose('vehicles');
  const plate = await give(stage, model);
  const expected = { kind: 'vehicles', tell: telling(plate) } as const;
  const found = (player: Player) => vehiclesOf(player, plate)[0];
  const isGiven = (player: Player): boolean =>
    found(player) !== undefined && goods.isOfModel(`${found(player)?.model}`, model);
  await expectShown({ ...expected, isShown: isGiven, what: `${plate}, a ${model}, was given` });
  const store = goods.vehicle({ action: 'store', plate });
  const stored = await carryOut(store);
  expectFound(plate, stored);
  const isStored = (player: Player): boolean => found(player)?.stored === true;
  if (stored.status !== 'done') findings.skipped('R31', { check: 'store', why: endedAs(store, stored) });
  else await expectShown({ ...expected, isShown: isStored, what: `${plate} was stored` });
  const taken = await goods.takeAway(plate);
  expectFound(plate, taken);
  if (taken.status !== 'done') throw new NotTried(endedAs(store, taken));
  const isGone = (player: Player): boolean => found(player) === undefined;
  await expectShown({ ...expected, isShown: isGone, what: `${plate} was taken` });
  const again = goods.vehicle({ action: 'take', plate });
  expectRefusal('R55', await carryOut(again), 'vehicle_not_found', again);
  acknowledge();
};

/** Gives a plate that is in use, to a player. */
const giveAgain = async (stage: Stage, model: string, plate: string, target: string): Promise<void> => {
  const sent = stage.goods.vehicle({ action: 'give', model, plate, target });
  const result = await stage.carryOut(sent);
  if (result.status === 'done') {
    await stage.carryOut(stage.goods.vehicle({ action: 'take', plate, target }));
    throw new Breach({ rule: 'R56', saw: `the plate ${plate} was given twice` });
  }
  const now = await stage.record();
  if (now !== undefined && vehiclesOf(now, plate).length > 1) {
    const saw = `a second vehicle ${plate} was given by a command that is ${result.status}`;
    throw new Breach({ rule: 'R32', saw });
  }
  expectRefusal('R56', result, 'plate_taken', sent);
};

const hasNoTwins = async (stage: Stage): Promise<void> => {
  const { goods, cast, target, acknowledge } = stage;
  const model = await goods.choose('vehicles');
  const plates = [await give(stage, model)];
  try {
    plates.push(await give(stage, model));
    const [plate = '', other] = plates;
    if (plate === other) throw new Breach({ rule: 'R56', saw: `two new vehicles have the plate ${plate}` });
    await giveAgain(stage, model, plate, target());
    if (cast.other !== undefined) await giveAgain(stage, model, plate, cast.other);
  } finally {
    for (const plate of plates) await goods.takeAway(plate);
    acknowledge();
  }
};

/** Checks of the vehicles of one player. */
export const VEHICLE_CHECKS: readonly Check[] = [
  {
    rules: ['R31', 'R55'],
    shows: ['R32', 'R53'],
    name: 'gives a vehicle, stores it and takes it',
    needs: ['vehicles'],
    run: livesThrough,
  },
  {
    rules: ['R56', 'R32'],
    name: 'gives no plate twice',
    needs: ['vehicles'],
    run: hasNoTwins,
  },
];
