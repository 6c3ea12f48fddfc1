import { beforeAll, onTestFinished } from 'vitest';

type End = () => unknown;

/** The ends of what a file is making for all its tests; undefined while tests run. */
let endsOfFile: End[] | undefined;

/** Runs when the test is over, or when the file is over for what `shared` makes. */
export const atEnd = (end: End): void => {
  if (endsOfFile !== undefined) endsOfFile.push(end);
  else onTestFinished(async () => void (await end()));
};

/** Makes something once for all tests of a file. @returns it, inside of a test */
export const shared = <Thing extends object>(make: () => Promise<Thing>): (() => Thing) => {
  let made: Thing | undefined;
  beforeAll(async () => {
    const ends: End[] = [];
    endsOfFile = ends;
    try {
      made = await make();
    } finally {
      endsOfFile = undefined;
    }
    return async () => {
      for (const end of ends.toReversed()) await end();
    };
  });
  return () => {
    if (made === undefined) throw new Error('what the tests of a file share exists inside of them only');
    return made;
  };
};
