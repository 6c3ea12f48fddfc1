export type Step<World> = { name: string; take: (world: World) => void };

export type Model<World> = {
  first: World;
  copyOf: (world: World) => World;
  /** Equal exactly for equal states; may first remove data without any further consequence. */
  keyOf: (world: World) => string;
  /** Steps that happen by themselves: a world without such a step is at rest. */
  progress: (world: World) => Step<World>[];
  /** Steps that may or may not happen: faults, requests, the deadline. */
  chances: (world: World) => Step<World>[];
  /** The promise that this state breaks. */
  brokenIn: (world: World) => string | undefined;
  /** The promise that a world at rest breaks. */
  brokenAtRest: (world: World) => string | undefined;
};

export type Exploration = { states: number; broken?: { what: string; path: string[] } };

/** Visits every state that any order of steps can reach, breadth first, until a promise is broken. */
export const search = <World>(model: Model<World>, maxStates = 3_000_000): Exploration => {
  const seen = new Set<string>();
  const parents: number[] = [];
  const names: string[] = [];
  let frontier: { world: World; number: number }[] = [];

  const visit = (world: World, parent: number, name: string, found: typeof frontier): void => {
    const key = model.keyOf(world);
    if (seen.has(key)) return;
    if (seen.size >= maxStates) throw new Error(`more than ${maxStates} states`);
    seen.add(key);
    found.push({ world, number: parents.push(parent) - 1 });
    names.push(name);
  };
  const pathTo = (number: number): string[] =>
    number <= 0 ? [] : [...pathTo(parents[number] ?? 0), names[number] ?? ''];

  visit(model.first, 0, '', frontier);
  while (frontier.length > 0) {
    const found: typeof frontier = [];
    for (const { world, number } of frontier) {
      const progress = model.progress(world);
      const what = model.brokenIn(world) ?? (progress.length === 0 ? model.brokenAtRest(world) : undefined);
      if (what !== undefined) return { states: seen.size, broken: { what, path: pathTo(number) } };
      for (const { name, take } of [...progress, ...model.chances(world)]) {
        const next = model.copyOf(world);
        take(next);
        visit(next, number, name, found);
      }
    }
    frontier = found;
  }
  return { states: seen.size };
};
