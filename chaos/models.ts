/** Models that chaos gives on frameworks. */
export const GIVEN: readonly [string, ...string[]] = ['adder'];

/** Jenkins' hash of a name, by which games and ESX know models. */
const hashOf = (name: string): number => {
  let hash = 0;
  for (const byte of Buffer.from(name)) {
    hash = (hash + byte) >>> 0;
    hash = (hash + (hash << 10)) >>> 0;
    hash = (hash ^ (hash >>> 6)) >>> 0;
  }
  hash = (hash + (hash << 3)) >>> 0;
  hash = (hash ^ (hash >>> 11)) >>> 0;
  return (hash + (hash << 15)) >>> 0;
};

const NAMES = new Map(GIVEN.map((name) => [hashOf(name), name]));

/** The name of a model for which a framework may have only the number. */
export const modelName = (model: unknown): string => NAMES.get(Number(model) >>> 0) ?? String(model);
