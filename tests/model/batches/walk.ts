import { syncBuiltinESMExports } from 'node:module';
import timers, { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { TABLE_NAMES } from '../../../db/schema/tables.ts';
import type { Store } from '../../../db/store.ts';
import { brokenAtRest, brokenIn, isAtRest } from './promises.ts';
import { chancesOf, createChooser, heal, LONG_MS, nextStep, passTime, type Step } from './steps.ts';
import { type Config, type Fault, KEYS, openWorld, type World } from './world.ts';

/** A node's own work between two statements takes fewer turns of the event loop than this. */
const TURNS = 4;
/** Longer than any pause of a hub, in seconds. */
const PATIENCE_S = 120;
/** More steps than a batch of this model needs without time passing. */
const MAX_STEPS = 2_000;

/** `path`: the steps that were taken. `isOver`: the moment of the fault never came. */
export type Walk = { path: string[]; broken: string | undefined; isOver: boolean };

const quiet = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
};

/** Time that passes only when a walk says so, and pauses that are as short as a turn. */
const holdTime = (now: () => number): void => {
  const { setTimeout: pause } = timers;
  const clocks = [vi.spyOn(performance, 'now'), vi.spyOn(Date, 'now')];
  for (const clock of clocks) clock.mockImplementation(now);
  // Before a statement is repeated; the repeated statement waits for its step anyway.
  Object.assign(timers, { setTimeout: () => nextTurn() });
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const clock of clocks) clock.mockRestore();
    Object.assign(timers, { setTimeout: pause });
    syncBuiltinESMExports();
  });
};

/** A walk in progress: it takes steps until a promise is broken. */
const begin = (world: World) => {
  const path: string[] = [];
  let broken: string | undefined;

  const take = async (step: Step): Promise<void> => {
    path.push(step.name);
    await step.take();
    await quiet();
    if (step.isRead !== true) broken ??= await brokenIn(world);
  };
  const work = async (): Promise<void> => {
    for (let steps = 0; steps < MAX_STEPS && broken === undefined; steps += 1) {
      const step = nextStep(world);
      if (step === undefined) return;
      await take(step);
    }
    broken ??= 'it works for ever';
  };
  const wait = async (ms: number): Promise<void> => {
    await take({ name: `${ms} ms pass`, take: () => passTime(world, ms) });
    await work();
  };

  return {
    take,
    work,
    wait,
    isBroken: (): boolean => broken !== undefined,
    /** Nothing fails any more, and everything gets its time. */
    end: async (isOver = false): Promise<Walk> => {
      for (let second = 0; second < PATIENCE_S && broken === undefined; second += 1) {
        await heal(world);
        await work();
        if (await isAtRest(world)) break;
        await wait(1_000);
      }
      return { path, broken: broken ?? (await brokenAtRest(world)), isOver };
    },
  };
};

/** Walks of the real commands and batches over one database in memory. */
export const openWalks = async (mutate: (store: Store) => Store = (store) => store) => {
  let world: World | undefined;
  holdTime(() => world?.clock.ms ?? 0);
  const database = await openDatabase({ url: 'file::memory:' });
  onTestFinished(database.close);
  await database.migrate();
  const { handle, tables } = database;

  const inWorld = async (config: Config, walk: (current: World) => Promise<Walk>): Promise<Walk> => {
    for (const name of TABLE_NAMES.toReversed()) await database.commit(() => handle.delete(tables[name]));
    const current = await openWorld(database, config, mutate);
    world = current;
    try {
      const [first] = current.nodes;
      if (first !== undefined) current.request(first, KEYS[0], false);
      await quiet();
      return await walk(current);
    } finally {
      for (const at of current.nodes.keys()) current.kill(at);
      await quiet();
    }
  };

  return {
    /** Each number chooses a step. In the end, nothing fails any more. */
    random: (config: Config, picks: readonly number[]): Promise<Walk> =>
      inWorld(config, async (current) => {
        const walk = begin(current);
        const choose = createChooser(current);
        for (const pick of picks) {
          if (walk.isBroken()) break;
          await walk.take(choose(pick));
        }
        return walk.end();
      }),
    /** The steps without a fault, but before the one of this number these faults happen together. */
    interrupted: (config: Config, number: number, faults: readonly Fault[], detail = 0): Promise<Walk> =>
      inWorld(config, async (current) => {
        const walk = begin(current);
        for (let n = 0; n < number; n += 1) {
          const step = nextStep(current);
          if (step !== undefined) await walk.take(step);
          else if (await isAtRest(current)) return walk.end(true);
          else await walk.take({ name: 'a second passes', take: () => passTime(current, 1_000) });
        }
        for (const fault of faults) {
          const [step] = chancesOf(fault, current, detail);
          if (step !== undefined) await walk.take(step);
        }
        await walk.work();
        // Another node takes over what this one leaves.
        for (let times = 0; times < 2; times += 1) await walk.wait(LONG_MS);
        return walk.end();
      }),
  };
};
