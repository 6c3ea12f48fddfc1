import type { State } from './stock.ts';

/** A step from one state of a thing to another. It may be left out unless it is needed. */
export type Step = { isNeeded: boolean; next: (state: State) => State[] };
type Place = { state: State; taken: number };

/**
 * An order of the steps that leads from one state to the other, with each step at most once; undefined: there is none.
 * Returns the steps that were not needed, as few as possible.
 */
export const findOrder = <S extends Step>(from: State, to: State, steps: readonly S[]): S[] | undefined => {
  const bits = steps.map((step, n) => ({ step, bit: 2 ** n }));
  const needed = bits.reduce((sum, { step, bit }) => (step.isNeeded ? sum + bit : sum), 0);
  const seen = new Set<string>();
  let places: Place[] = [{ state: from, taken: 0 }];
  while (places.length > 0) {
    const found: Place[] = [];
    for (const { state, taken } of places) {
      if (state === to && (taken & needed) === needed) {
        return bits.filter(({ step, bit }) => !step.isNeeded && (taken & bit) !== 0).map(({ step }) => step);
      }
      for (const { step, bit } of bits) {
        if ((taken & bit) !== 0) continue;
        for (const after of step.next(state)) {
          const place = { state: after, taken: taken | bit };
          const key = `${place.taken} ${after}`;
          if (!seen.has(key)) found.push(place);
          seen.add(key);
        }
      }
    }
    places = found;
  }
  return undefined;
};
