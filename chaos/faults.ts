import type { Random } from '../simulator/random.ts';
import type { Arena } from './arena.ts';

/** Something that goes wrong at a moment, and what ends it. */
export type Fault = { name: string; afterMs: number; forMs: number; begin: () => unknown; end?: () => unknown };

type Maker = (arena: Arena, random: Random, forMs: number) => Pick<Fault, 'begin' | 'end'> & { detail?: string };

const lineFaults = (which: 'bridgeLine' | 'callerLine'): Record<string, Maker> => ({
  [`cut ${which}`]: (arena, random) => {
    const bytes = random.chance(0.3) ? 0 : random.int(1, 3_000);
    return { begin: () => arena[which].cutAfter(bytes), detail: `after ${bytes} bytes` };
  },
  [`stall ${which}`]: (arena) => ({
    begin: () => arena[which].weather({ delayMs: 0, isStalled: true }),
    end: () => arena[which].weather({ delayMs: 0, isStalled: false }),
  }),
  [`delay ${which}`]: (arena, random) => {
    const delayMs = random.int(1, 60);
    return {
      begin: () => arena[which].weather({ delayMs, isStalled: false }),
      end: () => arena[which].weather({ delayMs: 0, isStalled: false }),
      detail: `by ${delayMs} ms`,
    };
  },
});

const processFaults = (which: 'hub' | 'game'): Record<string, Maker> => ({
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

const databaseFault = (name: string): Record<string, Maker> => ({
  [name]: ({ game }) => ({ begin: () => game.tell(name), end: () => game.tell('database up') }),
});

const MAKERS: Record<string, Maker> = {
  ...lineFaults('bridgeLine'),
  ...lineFaults('callerLine'),
  ...processFaults('hub'),
  ...processFaults('game'),
  ...databaseFault('database down'),
  ...databaseFault('database deaf'),
  ...databaseFault('database slow'),
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

export const planFaults = (arena: Arena, random: Random): Fault[] =>
  Array.from({ length: random.int(1, 3) }, () => {
    const kind = random.pick(bagOf([...WEIGHTS, ...arena.world.faults]));
    const forMs = random.int(10, 250);
    const { detail, ...made } = (MAKERS[kind] as Maker)(arena, random, forMs);
    return { name: detail === undefined ? kind : `${kind} ${detail}`, afterMs: random.int(0, 120), forMs, ...made };
  });
