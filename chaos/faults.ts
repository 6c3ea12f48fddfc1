import type { Random } from '../simulator/random.ts';
import type { Victim } from '../tests/kit/processes.ts';
import type { ProxyLine } from './proxy.ts';
import type { ChaosWorld } from './worlds.ts';

/** The parts of a single hub that faults act on. */
type Arena = {
  world: ChaosWorld;
  hub: Victim;
  game: Victim;
  callerLine: ProxyLine;
  bridgeLine: ProxyLine;
  sizeOf: (which: 'hub' | 'game') => Promise<number>;
};

/** A fault at a moment of the run, with the function that ends it. */
export type Fault = { name: string; afterMs: number; forMs: number; begin: () => unknown; end?: () => unknown };

export type Maker<A> = (arena: A, random: Random, forMs: number) => Pick<Fault, 'begin' | 'end'> & { detail?: string };

export type Lines = { bridgeLine: ProxyLine; callerLine: ProxyLine };

/** The faults of a network line. */
export const lineFaults = <A extends Lines>(which: keyof Lines): Record<string, Maker<A>> => ({
  [`cut ${which}`]: (arena, random) => {
    const bytes = random.chance(0.3) ? 0 : random.int(1, 3_000);
    return { begin: () => arena[which].cutAfter(bytes), detail: `after ${bytes} bytes` };
  },
  [`stall ${which}`]: (arena) => ({
    begin: () => arena[which].setCondition({ delayMs: 0, isStalled: true }),
    end: () => arena[which].setCondition({ delayMs: 0, isStalled: false }),
  }),
  [`delay ${which}`]: (arena, random) => {
    const delayMs = random.int(1, 60);
    return {
      begin: () => arena[which].setCondition({ delayMs, isStalled: false }),
      end: () => arena[which].setCondition({ delayMs: 0, isStalled: false }),
      detail: `by ${delayMs} ms`,
    };
  },
});

const processFaults = (which: 'hub' | 'game'): Record<string, Maker<Arena>> => ({
  [`kill ${which}`]: (arena) => ({ begin: () => arena[which].kill(), end: () => arena[which].start() }),
  [`pause ${which}`]: (arena) => ({ begin: () => arena[which].pause(), end: () => arena[which].resume() }),
  [`full disk of ${which}`]: (arena, random) => {
    const isReadOnly = random.chance(0.5);
    return {
      begin: async () => arena[which].limitFiles(isReadOnly ? 0 : (await arena.sizeOf(which)) + 8_192),
      end: () => arena[which].limitFiles('unlimited'),
      detail: isReadOnly ? 'no write at all' : '8 KiB are left',
    };
  },
});

const toldFault = (name: string, over: string): Record<string, Maker<Arena>> => ({
  [name]: ({ game }) => ({ begin: () => game.tell(name), end: () => game.tell(over) }),
});

const MAKERS: Record<string, Maker<Arena>> = {
  ...lineFaults('bridgeLine'),
  ...lineFaults('callerLine'),
  ...processFaults('hub'),
  ...processFaults('game'),
  ...toldFault('database down', 'database up'),
  ...toldFault('database deaf', 'database up'),
  ...toldFault('database slow', 'database up'),
  ...toldFault('ticks stalled', 'ticks again'),
  'restart bridge': ({ game }) => ({ begin: () => game.tell('restart bridge') }),
};

/** How often each kind is chosen. Kills cost a second each, cuts next to nothing. */
const WEIGHTS: [string, number][] = [
  ['cut bridgeLine', 30],
  ['stall bridgeLine', 12],
  ['delay bridgeLine', 10],
  ['cut callerLine', 12],
  ['stall callerLine', 4],
  ['delay callerLine', 4],
  ['pause hub', 8],
  ['pause game', 8],
  ['kill hub', 5],
  ['kill game', 5],
  ['full disk of hub', 4],
  ['full disk of game', 4],
];
const bagOf = (weights: readonly [string, number][]): [string, ...string[]] =>
  weights.flatMap(([name, weight]) => Array<string>(weight).fill(name)) as [string, ...string[]];

/** A fault that each run has begins at any moment: also while events of the run are on their way. */
const ALWAYS_WITHIN_MS = 800;

/** One to three of these faults, and the one that each run has. */
export const planned = <A>(
  arena: A,
  random: Random,
  makers: Readonly<Record<string, Maker<A>>>,
  weights: readonly [string, number][],
  always?: string,
): Fault[] => {
  const some = random.int(1, 3);
  return Array.from({ length: always === undefined ? some : some + 1 }, (_, nth) => {
    const kind = nth < some ? random.pick(bagOf(weights)) : (always ?? '');
    const forMs = random.int(10, 250);
    const maker = makers[kind];
    if (maker === undefined) throw new Error(`--fault must be one of ${Object.keys(makers).join(', ')}`);
    const { detail, ...made } = maker(arena, random, forMs);
    const afterMs = random.int(0, nth < some ? 120 : ALWAYS_WITHIN_MS);
    return { name: detail === undefined ? kind : `${kind} ${detail}`, afterMs, forMs, ...made };
  });
};

export const planFaults = (arena: Arena, random: Random, always?: string): Fault[] =>
  planned(arena, random, MAKERS, [...WEIGHTS, ...arena.world.faults], always);
