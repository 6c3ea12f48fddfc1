import { OUTCOMES } from './game.ts';
import type { Node } from './node.ts';
import { type Fault, KEYS, type World } from './world.ts';

/** `isRead`: it changes nothing that a promise is about. */
export type Step = { name: string; take: () => unknown; isRead?: boolean };
/** `detail` chooses among the variants of a step. */
type StepsOf = (world: World, detail: number) => Step[];

const SECOND_MS = 1_000;
/** Longer than a batch is left to a node that does not work on it. */
export const LONG_MS = 11_000;

const running = ({ nodes }: World): Node[] => nodes.flatMap((node) => (node === undefined ? [] : [node]));
const answering = (world: World): Node[] => running(world).filter(({ isStalled }) => !isStalled);

/** Everything that waits for an answer of the database, the oldest first. */
export const callsOf = (world: World) =>
  answering(world).flatMap(({ name, calls }) => calls.map((call, n) => ({ ...call, name: `${name}: statement ${n}` })));

export const passTime = (world: World, ms: number): void => {
  world.clock.ms += ms;
  for (const node of running(world)) node.tick();
};

const databaseSteps: StepsOf = (world) =>
  callsOf(world).map(({ name, run, loseAnswer }) => ({ name, take: run, isRead: loseAnswer === undefined }));

const gameSteps: StepsOf = (world, detail) => {
  const line = world.game.line();
  if (line === undefined) {
    return running(world).map((node) => ({
      name: `bridge: connects to ${node.name}`,
      take: () => world.connect(node),
    }));
  }
  const outcome = OUTCOMES[detail % OUTCOMES.length] ?? 'done';
  return [
    ...(line.down.length > 0 ? [{ name: `bridge: reads, ${outcome}`, take: () => world.game.read(outcome) }] : []),
    ...(line.up.length > 0 ? [{ name: `${line.node}: reads a result`, take: world.readResult }] : []),
  ];
};

const timeSteps: StepsOf = (world) => [
  { name: 'a second passes', take: () => passTime(world, SECOND_MS) },
  { name: 'eleven seconds pass', take: () => passTime(world, LONG_MS) },
  ...running(world)
    .filter(({ isStalled }) => isStalled)
    .map((node) => ({
      name: `${node.name}: its database answers`,
      take: () => Object.assign(node, { isStalled: false }),
    })),
  ...world.nodes.flatMap((node, at) =>
    node === undefined ? [{ name: `node ${at} starts`, take: () => world.start(at) }] : [],
  ),
];

/** Requests at any node. `detail`: the same content, other content under the same key, or another key. */
const requestSteps: StepsOf = (world, detail) => {
  const [key, otherKey] = KEYS;
  const kinds = [
    { name: 'the batch is requested', key, isOther: false },
    { name: 'its key comes with other content', key, isOther: true },
    { name: 'another batch is requested', key: otherKey, isOther: false },
  ];
  const kind = kinds[detail % kinds.length];
  if (kind === undefined) return [];
  return running(world).map((node) => ({
    name: `${node.name}: ${kind.name}`,
    take: () => world.request(node, kind.key, kind.isOther),
  }));
};

const voidSteps: StepsOf = (world) =>
  running(world).flatMap((node) =>
    world.batches.map((batch) => ({
      name: `${node.name}: ${batch.idempotencyKey} is taken back`,
      take: () => world.takeBack(node, batch),
    })),
  );

const CHANCES: Record<Fault, StepsOf> = {
  request: requestSteps,
  void: voidSteps,
  fail: (world) => callsOf(world).map(({ name, fail }) => ({ name: `${name} fails`, take: fail })),
  'lose answer': (world) =>
    callsOf(world).flatMap(({ name, loseAnswer }) =>
      loseAnswer === undefined ? [] : [{ name: `${name} is done, and its answer is lost`, take: loseAnswer }],
    ),
  kill: (world) =>
    world.nodes.flatMap((node, at) =>
      node === undefined ? [] : [{ name: `${node.name} is killed`, take: () => world.kill(at) }],
    ),
  stall: (world) =>
    answering(world).map((node) => ({
      name: `${node.name}: its database hangs`,
      take: () => Object.assign(node, { isStalled: true }),
    })),
  'hang up': ({ game, hangUp }) => (game.line() === undefined ? [] : [{ name: 'the line breaks', take: hangUp }]),
  relink: ({ relink }) => [{ name: 'a linked identifier changes its player', take: relink }],
};

/** The steps of one fault or request that can be taken now. */
export const chancesOf = (fault: Fault, world: World, detail: number): Step[] => CHANCES[fault](world, detail);

/** Of so many steps, how many are of which kind, if there are any. */
const KINDS = [
  ...Array.from({ length: 12 }, () => 'database' as const),
  ...Array.from({ length: 4 }, () => 'game' as const),
  ...Array.from({ length: 2 }, () => 'time' as const),
  ...Array.from({ length: 2 }, () => 'chance' as const),
];

/** Chooses the steps of one walk. */
export const createChooser = (world: World) => {
  const left = { ...world.config.faults };

  const chanceSteps: StepsOf = (_, detail) =>
    (Object.keys(CHANCES) as Fault[]).flatMap((fault) =>
      (left[fault] ?? 0) <= 0
        ? []
        : CHANCES[fault](world, detail).map(({ name, take }) => ({
            name,
            take: () => {
              left[fault] = (left[fault] ?? 0) - 1;
              return take();
            },
          })),
    );
  const kinds = { database: databaseSteps, game: gameSteps, time: timeSteps, chance: chanceSteps };

  return (pick: number): Step => {
    const detail = Math.floor(pick / KINDS.length);
    const wanted = KINDS[pick % KINDS.length] ?? 'database';
    for (const kind of [wanted, 'database', 'game', 'time'] as const) {
      const steps = kinds[kind](world, detail);
      const step = steps[detail % Math.max(steps.length, 1)];
      if (step !== undefined) return step;
    }
    throw new Error('Time can always pass.');
  };
};

/** The next step if nothing fails; undefined: everything waits for time to pass. */
export const nextStep = (world: World): Step | undefined => {
  const [first] = [...databaseSteps(world, 0), ...(world.game.line() === undefined ? [] : gameSteps(world, 0))];
  return first;
};

/** Nodes that are gone start again, and what is cut off or hangs goes on. */
export const heal = async (world: World): Promise<void> => {
  for (const [at, node] of world.nodes.entries()) {
    if (node === undefined) await world.start(at);
    else node.isStalled = false;
  }
  const [first] = running(world);
  if (world.game.line() === undefined && first !== undefined) await world.connect(first);
};
