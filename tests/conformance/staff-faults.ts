import type { CommandHandlers, CommandName, Outcome } from '../../bridge-protocol/index.ts';
import type { Disk } from './disk.ts';
import type { Planted } from './effect-faults.ts';
import { FAILED, settlesLeftOvers } from './effects.ts';
import type { Fault, Frame } from './game.ts';

const rejected = (code: string): Outcome => ({ status: 'rejected', error: { code, message: code } });

const handling = (change: (handlers: Required<CommandHandlers>, disk: Disk) => CommandHandlers): Fault => ({
  handlers: (handlers, disk) => ({ ...handlers, ...change(handlers, disk) }),
});

/** Gives an item, and answers that there was no place for it. */
const givesInSecret = handling(({ items }) => ({
  items: async (order, context) => {
    const outcome = await items(order, context);
    return order.action === 'add' && outcome.status === 'done' ? rejected('inventory_full') : outcome;
  },
}));

/** Takes one less than its result says. */
const takesFewer = handling(({ items }, { goods }) => ({
  items: async (order, context) => {
    const before = goods.bags.get(order.target)?.get(order.item) ?? 0;
    const { action, item, count } = order;
    if (action === 'add' || count === 1 || before < count) return items(order, context);
    await items({ ...order, count: count - 1 }, context);
    return { status: 'done', data: { item, before, after: before - count } };
  },
}));

const givesAnother = handling(({ vehicles }) => ({
  vehicles: async (order, context) => {
    const isGiven = order.action === 'give' && order.model === 'adder';
    const outcome = await vehicles(isGiven ? { ...order, model: 'sultan' } : order, context);
    if (!isGiven || outcome.status !== 'done') return outcome;
    return { ...outcome, data: { ...outcome.data, model: 'adder' } };
  },
}));

/** A plate in use goes to the newest vehicle. */
const issuesTwice = handling(({ vehicles }, { goods }) => ({
  vehicles: (order, context) => {
    if (order.action === 'give' && order.plate !== undefined) goods.vehicles.delete(order.plate);
    return vehicles(order, context);
  },
}));

/** All plates that the game makes up are alike. */
const makesUpOne = handling(({ vehicles }, { goods }) => ({
  vehicles: (order, context) => {
    if (order.action !== 'give' || order.plate !== undefined) return vehicles(order, context);
    goods.vehicles.delete('NEW 1');
    return vehicles({ ...order, plate: 'NEW 1' }, context);
  },
}));

const hasAnyGrade = handling(({ job }) => ({
  job: async (order, context) => {
    const outcome = await job({ ...order, grade: Math.min(order.grade, 2) }, context);
    const after = { job: order.job, grade: order.grade };
    return outcome.status === 'done' ? { ...outcome, data: { ...outcome.data, after } } : outcome;
  },
}));

/** One command answers a refusal with a code of its own. */
const refuses = (code: string, instead: string): Fault => ({
  out: (frame) => [Object(frame['error']).code === code ? { ...frame, error: { code: instead, message: '' } } : frame],
});

const withoutData = (outcome: Outcome): Outcome => (outcome.status === 'done' ? { ...outcome, data: {} } : outcome);

const withoutItems = (players: unknown): unknown[] =>
  Array.isArray(players) ? players.map((player) => ({ ...player, inventory: [] })) : [];

/** A command that comes again counts as another one. */
const runsAgain = (name: CommandName): Fault => {
  const isAgain = (frame: Frame): boolean => frame['name'] === name && frame['attempt'] !== 1;
  return {
    in: (frame) => [isAgain(frame) ? { ...frame, id: `${frame['id']}~` } : frame],
    out: (frame) => [frame.type === 'result' ? { ...frame, id: String(frame['id']).replaceAll('~', '') } : frame],
  };
};

/** Counts over the bound are read as 1. */
const readsAnyCount: Fault = {
  in: (frame) => {
    const params = Object(frame['params']);
    return [params.count > 1_000_000 ? { ...frame, params: { ...params, count: 1 } } : frame];
  },
};

/** Faults in commands that are neither money nor a kick. */
export const STAFF_FAULTS: readonly Planted[] = [
  {
    rule: 'R32',
    says: 'gives an item and says no',
    fault: givesInSecret,
    text: '1 water was given by a command that is rejected',
  },
  {
    rule: 'R31',
    says: 'takes fewer items than it says',
    fault: takesFewer,
    text: /^2 water were taken, which left \d+, and the record of char1:ana has \d+$/,
  },
  {
    rule: 'R31',
    says: 'gives another model than it says',
    fault: givesAnother,
    only: ['R31'],
    text: /^NEW \d+, a adder, was given, and the record of char1:ana has .*"sultan"/,
  },
  {
    rule: 'R56',
    says: 'issues the same plate twice',
    fault: issuesTwice,
    text: 'the plate NEW 1 was given twice',
  },
  {
    rule: 'R56',
    says: 'makes up the same plate twice',
    fault: makesUpOne,
    only: ['R56'],
    text: 'two new vehicles have the plate NEW 1',
  },
  {
    rule: 'R54',
    says: 'does not tell an unknown item from too few',
    fault: refuses('unknown_item', 'not_enough_items'),
    text: /^expected rejected with unknown_item for .*; saw .*not_enough_items/,
  },
  {
    rule: 'R54',
    says: 'sets any grade',
    fault: hasAnyGrade,
    text: /^expected rejected with unknown_grade for .*; saw .*"done"/,
  },
  {
    rule: 'R55',
    says: 'does not say that there are too few items',
    fault: refuses('not_enough_items', 'refused'),
    text: /^expected rejected with not_enough_items for .*; saw .*refused/,
  },
  {
    rule: 'R55',
    says: 'does not say that a vehicle is gone',
    fault: refuses('vehicle_not_found', 'refused'),
    text: /^expected rejected with vehicle_not_found for .*; saw .*refused/,
  },
  {
    rule: 'R53',
    says: 'does not report what a command gave',
    fault: {
      out: (frame) => [
        frame.type === 'players.changed' ? { ...frame, players: withoutItems(frame['players']) } : frame,
      ],
    },
    text: /^2 water were given, which left \d+, and no players\.changed said so within 2000 ms$/,
  },
  {
    rule: 'R24',
    says: 'gives items again when their command comes again',
    fault: runsAgain('items'),
    only: ['R24'],
    text: /one id, delivered four times, moved water by \d+; the results say 1/,
  },
  {
    rule: 'R24',
    says: 'gives a vehicle again when its command comes again',
    fault: runsAgain('vehicles'),
    only: ['R24'],
    text: /one id, delivered four times, moved vehicles by \d+; the results say 1/,
  },
  {
    rule: 'R24',
    says: 'sets a job again when its command comes again',
    fault: runsAgain('job'),
    only: ['R24'],
    text: /none 0 was set, the earlier command came again, and the next one found police 0/,
  },
  {
    rule: 'R32',
    says: 'calls items failed that a crash cut off',
    fault: settlesLeftOvers(FAILED, ({ name }) => name === 'items'),
    text: /^16 commands around a crash moved water by \d+; the results say \d+, and \d+ that had no effect$/,
  },
  {
    rule: 'R38',
    says: 'calls its vehicles atomic',
    fault: { out: (frame) => [frame.type === 'hello' ? { ...frame, classes: { 'vehicles@1': 'atomic' } } : frame] },
    text: /^expected failed for what an atomic journal finds started; saw .*indeterminate/,
  },
  {
    rule: 'R31',
    says: 'heals and does not say who saw it',
    fault: handling(({ heal }) => ({ heal: async (order, context) => withoutData(await heal(order, context)) })),
    text: /^expected the data of heal: confirmedBy/,
  },
  {
    rule: 'R26',
    says: 'takes any count of items',
    fault: readsAnyCount,
    text: /^expected rejected with invalid_params for .*1000001.*; saw .*player_not_found/,
  },
  {
    rule: 'R60',
    says: 'shows an announcement for some players to all',
    fault: handling(({ announce }) => ({ announce: ({ message }, context) => announce({ message }, context) })),
    only: ['R60'],
    text: /^expected an announcement to players who do not exist to be done, with 0 players; saw .*"players":\d/,
  },
];
