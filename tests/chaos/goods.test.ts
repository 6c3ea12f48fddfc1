import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CommandHandlers, createBridge, type Outcome } from '../../bridge-protocol/index.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';
import { createCourt } from '../../chaos/court.ts';
import { openLedgers } from '../../chaos/ledgers.ts';
import { SIMULATED_GOODS } from '../../chaos/offers.ts';
import { reportOf, type Stock } from '../../chaos/stock.ts';
import { withAmount } from '../../simulator/activities.ts';
import { CARRIED } from '../../simulator/inventories.ts';
import { ACCOUNTS } from '../../simulator/ledger.ts';
import { openWorld, type World } from '../../simulator/world.ts';
import { newFolder } from '../kit/folder.ts';
import { startHub } from '../kit/hub.ts';
import { eventually } from '../kit/stage.ts';

const { items: QUANTITIES, ownGarages } = SIMULATED_GOODS;
const HAS = 10;

type Order = { name: 'items' | 'vehicles' | 'job'; body: Record<string, unknown> };
/** Handlers that lie, in place of those of the world. */
type Plant = (world: World, honest: World['commands']) => CommandHandlers;

const done = (data: Record<string, unknown>): Outcome => ({ status: 'done', data });
const refused = (code: 'too_heavy' | 'plate_taken'): Outcome => ({
  status: 'rejected',
  error: { code, message: 'No.' },
});

/** A simulated game whose handlers lie, a real hub, and the court that has seen the game before the first command. */
const openFaulty = async (plant: Plant) => {
  const folder = newFolder();
  const hubFile = join(folder, 'hub.db');
  const hub = await startHub({ folder, env: { DATABASE_URL: `file:${hubFile}` } });
  const world = openWorld({ players: 3 });
  onTestFinished(world.close);
  const [target = '', other = ''] = world.identifiers();
  world.transact((edit) => {
    for (const who of [target, other]) edit.setInventory(who, []);
    edit.setInventory(target, [{ slot: 1, name: 'bandage', label: 'Bandage', count: HAS, metadata: {} }]);
  });
  const bridge = createBridge({
    openSocket: openWebSocket({ url: hub.bridgeUrl, token: hub.token }),
    software: { name: 'faulty', version: '1', game: 'simulated' },
    journal: world.journal,
    commands: { ...world.commands, ...plant(world, world.commands) },
    accounts: ACCOUNTS,
    players: { snapshot: world.players, read: world.player },
  });
  bridge.start();
  onTestFinished(() => bridge.stop('The test is over.'));
  await eventually(async () => (await hub.request(`/api/v2/players/${target}`)).status).toBe(200);

  const ask = async (after: number) => reportOf(world, after, QUANTITIES);
  const ledgers = openLedgers({ hubFile, game: { ask } });
  onTestFinished(ledgers.close);
  const court = createCourt((await ledgers.fresh()).stocks?.saved as Stock, ownGarages);
  return {
    world,
    target,
    other,
    order: ({ name, body }: Order, reason: string, who = target) =>
      hub.request(`/api/v2/bridge/main/${name}`, { json: { target: who, reason, ...body } }),
    judge: async (): Promise<string[]> => {
      const { rows, stocks } = await ledgers.fresh();
      expect(stocks).toBeDefined();
      // The id of a command is another one each time.
      return (stocks ? court.judge(rows, stocks) : []).map((problem) => problem.replaceAll(/cmd_\w+ /g, ''));
    },
  };
};

const honest: Plant = () => ({});
const ADD: Order = { name: 'items', body: { item: 'bandage', count: 5, action: 'add' } };
const REMOVE: Order = { name: 'items', body: { item: 'bandage', count: 5, action: 'remove' } };
const GIVE: Order = { name: 'vehicles', body: { action: 'give', model: 'adder', plate: 'CHAOS 1', garage: 'lot_1' } };
const STORE: Order = { name: 'vehicles', body: { action: 'store', plate: 'CHAOS 1', garage: 'lot_2' } };
const POLICE: Order = { name: 'job', body: { job: 'police', grade: 2 } };

/** Sets the number of bandages, whatever the handler says. */
const carry = (world: World, target: string, count: number): void =>
  world.transact((edit) => {
    const player = edit.player(target);
    if (player !== undefined) edit.setInventory(target, withAmount(player, 'bandage', count));
  });

const PLANTED: [string, Plant, Order, RegExp][] = [
  [
    'gives and says no',
    (world) => ({
      items: ({ target }) => {
        carry(world, target, HAS + 5);
        return refused('too_heavy');
      },
    }),
    ADD,
    /^wrongly reported: \(x\) rejected, and it happened$/,
  ],
  [
    'says that it gave, and gives nothing',
    () => ({ items: () => done({ item: 'bandage', before: HAS, after: HAS + 5 }) }),
    ADD,
    /^wrongly reported: \(x\) succeeded, and it did not happen$/,
  ],
  [
    'gives twice',
    (world) => ({
      items: ({ target }) => {
        carry(world, target, HAS + 10);
        return done({ item: 'bandage', before: HAS, after: HAS + 5 });
      },
    }),
    ADD,
    /^doubled: \(x\) took effect twice$/,
  ],
  [
    'takes fewer than it says',
    (world) => ({
      items: ({ target }) => {
        carry(world, target, HAS - 3);
        return done({ item: 'bandage', before: HAS, after: HAS - 5 });
      },
    }),
    REMOVE,
    /^wrongly reported: bandage of .* went from "10" to "7", which is not the effect of \(x\) succeeded$/,
  ],
  [
    'gives the same plate to a second vehicle',
    (world) => ({
      vehicles: ({ target, plate = '', model = '', garage = null }) => {
        world.transact((edit) => {
          const vehicle = { plate, model, label: model, stored: true, garage, metadata: {} };
          for (const who of world.identifiers().slice(0, 2)) {
            edit.setVehicles(who, [...(edit.player(who)?.vehicles ?? []), vehicle]);
          }
          edit.claimPlate(plate, target);
        });
        return done({ plate, model, garage });
      },
    }),
    GIVE,
    /^wrongly reported: plate CHAOS 1 went from ""/,
  ],
  [
    'refuses a plate that is free',
    () => ({ vehicles: () => refused('plate_taken') }),
    GIVE,
    /^wrongly reported: \(x\) was refused for a reason that was not true$/,
  ],
  [
    'sets the job and says no',
    (_world, { job }) => ({
      job: (params, context) => {
        job(params, { ...context, id: `${context.id}x` });
        return refused('too_heavy');
      },
    }),
    POLICE,
    /^wrongly reported: \(x\) rejected, and it happened$/,
  ],
  [
    'says that it set the job, and does not',
    () => ({
      job: ({ job, grade }) => done({ before: { job: 'unemployed', grade: 0 }, after: { job, grade } }),
    }),
    POLICE,
    /^wrongly reported: \(x\) succeeded, and it did not happen$/,
  ],
];

describe('the court of chaos reports a simulated game that', () => {
  it.each(PLANTED)('%s', async (name, plant, order, problem) => {
    const isShared = name.includes('the same plate');
    const { order: send, judge } = await openFaulty(plant);
    await send(order, 'x');
    const problems = await judge();
    expect(problems[0]).toMatch(problem);
    expect(problems.slice(1)).toEqual(isShared ? ['doubled: plate CHAOS 1 has 2 vehicles'] : []);
    // A later run is not blamed for it.
    expect(await judge()).toEqual([]);
  });

  it('swallows an item that a full inventory does not take', async () => {
    const { world, target, order, judge } = await openFaulty(() => ({
      items: ({ item, count }) => done({ item, before: 0, after: count }),
    }));
    carry(world, target, CARRIED);
    expect(await judge()).toEqual([`no row: bandage of ${target} went from "10" to "1000"`]);
    await order({ name: 'items', body: { item: 'coffee', count: 2, action: 'add' } }, 'x');
    expect(await judge()).toEqual(['wrongly reported: (x) succeeded, and it did not happen']);
  });

  it('says the whole count, and a full inventory took a part', async () => {
    const { world, target, order, judge } = await openFaulty((own) => ({
      items: ({ target: who, count }) => {
        carry(own, who, CARRIED);
        return done({ item: 'bandage', before: CARRIED - 2, after: CARRIED - 2 + count });
      },
    }));
    carry(world, target, CARRIED - 2);
    expect(await judge()).toHaveLength(1);
    await order({ ...ADD, body: { ...ADD.body, allowPartial: true } }, 'x');
    expect((await judge())[0]).toMatch(/went from "998" to "1000", which is not the effect of \(x\) succeeded$/);
  });

  it('stores a vehicle, and says no', async () => {
    const { order, judge } = await openFaulty((_, { vehicles }) => ({
      vehicles: (params, context) => {
        if (params.action !== 'store') return vehicles(params, context);
        vehicles(params, { ...context, id: `${context.id}x` });
        return refused('too_heavy');
      },
    }));
    await order(GIVE, 'x');
    expect(await judge()).toEqual([]);
    await order(STORE, 'y');
    expect((await judge())[0]).toMatch(/^wrongly reported: plate CHAOS 1 stands in lot_2, and its commands say lot_1/);
  });
});

describe('the court of chaos has no complaint about', () => {
  it('an honest game, whose commands succeed, are refused, or are applied in part', async () => {
    const { other, order, judge } = await openFaulty(honest);
    const orders: [Order, string?][] = [
      [ADD],
      [REMOVE],
      [{ ...ADD, body: { ...ADD.body, count: 2 * CARRIED, allowPartial: true } }],
      [{ name: 'items', body: { item: 'coffee', count: 1, action: 'add' } }],
      [{ ...REMOVE, body: { ...REMOVE.body, count: 2 * CARRIED } }],
      [GIVE],
      [GIVE, other],
      [STORE],
      [{ name: 'vehicles', body: { action: 'take', plate: 'CHAOS 1' } }, other],
      [{ name: 'vehicles', body: { action: 'take', plate: 'CHAOS 1' } }],
      [GIVE, other],
      [{ name: 'vehicles', body: { action: 'give', model: 'taxi' } }],
      [POLICE],
      [{ name: 'job', body: { job: 'taxi', grade: 9 } }],
      [{ name: 'job', body: { job: 'taxi', grade: 0 } }],
    ];
    const answers: unknown[] = [];
    for (const [n, [each, who]] of orders.entries())
      answers.push((await order(each, `r${n}`, who)).body['code'] ?? 'ok');
    expect(answers).toEqual([
      ...['ok', 'ok', 'ok', 'too_heavy', 'not_enough_items'],
      ...['ok', 'plate_taken', 'ok', 'vehicle_not_found', 'ok', 'ok', 'ok'],
      ...['ok', 'unknown_grade', 'ok'],
    ]);
    expect(await judge()).toEqual([]);
  });
});
