import { randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { differences, type Observation } from './compare.ts';
import { HubPool } from './hub-client.ts';
import { Play, SCENARIOS } from './kills.ts';
import { Difference } from './lockstep.ts';
import { Side } from './side.ts';
import { type Empty, prepareTrees, type Trees } from './trees.ts';
import { Walk } from './walk.ts';

/**
 * Plays random walks against the hub of another checkout and against this one, and compares what callers and bridges see:
 * `npm run differential -- --against ../old --walks 100`
 */
const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    walks: { type: 'string', default: '100' },
    seed: { type: 'string' },
    workers: { type: 'string', default: '2' },
    // Stores what is seen of the hub of this checkout.
    record: { type: 'string' },
    // Compares this hub with such a file.
    replay: { type: 'string' },
    // Kills this hub at each of its commits and writes, in a few scenarios.
    kills: { type: 'boolean', default: false },
  },
});
const HERE = join(import.meta.dirname, '../../..');
const { against = HERE } = values;
if (values.against === undefined && values.record === undefined && values.replay === undefined) {
  throw new Error('--against needs the folder of the old checkout');
}

type Tape = { seed: number; walks: Observation[][]; empty: Empty };

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const packed = (tape: Tape): Buffer =>
  brotliCompressSync(JSON.stringify(tape), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
const readTape = async (file: string): Promise<Tape> =>
  JSON.parse(brotliDecompressSync(await readFile(file)).toString());

const tape = values.replay === undefined ? undefined : await readTape(values.replay);
const walks = tape?.walks.length ?? Number(values.walks);
const first = tape?.seed ?? (values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed));
const record: Observation[][] = [];
const tally = { walks: 0, events: 0, different: 0 };

const report = (seed: number, walk: Walk, sides: readonly Side[], error: unknown): void => {
  tally.different += 1;
  say(`\nwalk ${seed} differs after ${walk.events.length} events`);
  for (const event of walk.events) say(`  ${event}`);
  say(error instanceof Difference || !(error instanceof Error) ? String(error) : (error.stack ?? error.message));
  for (const { tree, said } of sides) if (said !== '') say(`the log of the ${tree.name} hub:\n${said}`);
  if (tape === undefined) say(`repeat it: npm run differential -- --against ${against} --walks 1 --seed ${seed}`);
};

/** Opens both hubs; only the one of this checkout where a tape stands for the other. */
const sidesOf = ({ trees, secrets, folder }: Trees, pools: readonly HubPool[], worker: number): Side[] =>
  pools.map((pool, n) => {
    const tree = trees.at(n - pools.length);
    if (tree === undefined) throw new Error('there are two checkouts');
    return new Side(tree, { pool, secrets, file: join(folder, `${tree.name}-${worker}.db`) });
  });

/** Walk n of a seed is walk 0 of seed + n, so each can be repeated alone. */
const work = async (trees: Trees, worker: number, numbers: Iterator<number>): Promise<void> => {
  const isAlone = values.record !== undefined || tape !== undefined;
  const pools = trees.trees.slice(isAlone ? 1 : 0).map(({ program }) => new HubPool(program));
  for (let next = numbers.next(); next.done !== true && tally.different === 0; next = numbers.next()) {
    const sides = sidesOf(trees, pools, worker);
    const seed = first + next.value;
    const walk = new Walk(sides, seed, tape?.walks[next.value]);
    let isSound = true;
    try {
      await Promise.all(sides.map((side) => side.reset()));
      await walk.run();
    } catch (error) {
      isSound = false;
      report(seed, walk, sides, error);
    }
    await Promise.all(sides.map((side) => side.close({ isSound })));
    record[next.value] = [...walk.record];
    tally.walks += 1;
    tally.events += walk.events.length;
    if (tally.walks % 100 === 0) say(`${tally.walks} walks, ${tally.events} events`);
  }
  await Promise.all(pools.map((pool) => pool.close()));
};

const walkAll = async (trees: Trees): Promise<void> => {
  const since = performance.now();
  const numbers = Array.from({ length: walks }, (_, n) => n).values();
  await Promise.all(Array.from({ length: Math.min(Number(values.workers), walks) }, (_, n) => work(trees, n, numbers)));
  if (values.record !== undefined) {
    await writeFile(values.record, packed({ seed: first, walks: record, empty: trees.empty }));
  }
  const each = (performance.now() - since) / Math.max(1, tally.walks);
  const { events, different } = tally;
  say(`seed ${first}: ${tally.walks} walks, ${events} events, ${different} different; ${each.toFixed(0)} ms a walk`);
};

/** Each scenario over the old hub, which lives, and over the new one, which dies at one boundary after the other. */
const killAll = async (trees: Trees): Promise<void> => {
  const pools = trees.trees.map(({ program }) => new HubPool(program));
  const play = async (n: number, scenario: (typeof SCENARIOS)[number], boundary: number) => {
    const side = sidesOf(trees, pools, 0)[n];
    if (side === undefined) throw new Error('there are two checkouts');
    await side.reset();
    return new Play(side).run(scenario, boundary).finally(() => side.close({ isSound: false }));
  };
  for (const scenario of SCENARIOS) {
    const { hasDied: _, ...expected } = await play(0, scenario, 0);
    for (let boundary = 1; ; boundary += 1) {
      const { hasDied, ...ending } = await play(1, scenario, boundary);
      const found = differences(expected, ending);
      if (found.length > 0) {
        tally.different += 1;
        say(`${scenario.name}, killed at boundary ${boundary}:\n${found.join('\n')}`);
      }
      if (hasDied) continue;
      say(`${scenario.name}: killed at ${boundary - 1} boundaries`);
      break;
    }
  }
  await Promise.all(pools.map((pool) => pool.close()));
};

const trees = await prepareTrees(against, HERE, tape?.empty);
try {
  await (values.kills ? killAll(trees) : walkAll(trees));
} finally {
  await trees.remove();
}
process.exitCode = tally.different === 0 ? 0 : 1;
