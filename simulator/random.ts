/** A repeatable source of choices: the same seeds give the same choices on every machine. */
export type Random = {
  /** Whole number, both ends included. */
  int(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** `length` characters of `alphabet`. */
  text(alphabet: string, length: number): string;
};

const mix = (state: number, value: number): number => {
  let mixed = Math.imul(state ^ value, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** A {@link Random} for a list of whole numbers, such as a world's seed and a step. Not for secrets. */
export const createRandom = (...seeds: readonly number[]): Random => {
  let state = seeds.reduce((mixed, seed) => mix(mix(mixed, seed | 0), Math.floor(seed / 2 ** 32)), 0x9e3779b9);

  // mulberry32: 32 bits of state are plenty for a few hundred choices per seed.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));

  return {
    int,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[int(0, choices.length - 1)] ?? choices[0],
    text: (alphabet, length) => Array.from({ length }, () => alphabet.charAt(int(0, alphabet.length - 1))).join(''),
  };
};
