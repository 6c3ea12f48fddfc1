import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openArena } from './arena.ts';
import { openClusterArena } from './cluster/arena.ts';
import { type Episode, keepTimeline, playEpisode, timelineOf } from './episode.ts';
import { CHAOS_WORLDS, type ChaosWorld } from './worlds.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string' },
    workers: { type: 'string', default: '2' },
    bridge: { type: 'string', default: 'simulated' },
    nodes: { type: 'string', default: '1' },
    // A receiver counts what the hub tells by webhook.
    webhooks: { type: 'boolean', default: false },
    // Each run has this fault too, such as 'kill hub' or, of a cluster, 'kill node'.
    fault: { type: 'string' },
    // Folder for the timelines of failed runs.
    keep: { type: 'string', default: 'chaos-failures' },
    // No run begins after this time.
    seconds: { type: 'string', default: '86400' },
  },
});
const runs = Number(values.runs);
const endsAt = performance.now() + Number(values.seconds) * 1_000;
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
// Several names, separated by commas: the runs are divided among them.
const worlds = values.bridge.split(',').map((name): [string, ChaosWorld] => {
  const world = CHAOS_WORLDS[name];
  if (world === undefined) throw new Error(`--bridge must be one of ${Object.keys(CHAOS_WORLDS).join(', ')}`);
  return [name, world];
});
const nodes = Number(values.nodes);
if (nodes > 1 && values.bridge !== 'simulated') throw new Error('a cluster needs --bridge simulated');
const workers = Math.min(Number(values.workers), runs);

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const tally = {
  ended: new Map<string, number>(),
  runs: 0,
  calls: 0,
  posts: 0,
  events: 0,
  failed: 0,
  faults: new Map<string, number>(),
  settledMs: [] as number[],
  problems: new Map<string, number>(),
};

const add = (counts: Map<string, number>, name: string, more = 1): void => {
  counts.set(name, (counts.get(name) ?? 0) + more);
};
const shown = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, count]) => `${name} ${count}`).join(', ');

/** Run n of a seed is run 0 of seed + n, so every run can be repeated alone. */
const work = async ([name, world]: [string, ChaosWorld], numbers: Iterator<number>): Promise<void> => {
  const arena = await (nodes > 1 ? openClusterArena(world, nodes, values.webhooks) : openArena(world, values.webhooks));
  let before: Episode | undefined;
  try {
    for (let next = numbers.next(); next.done !== true && performance.now() < endsAt; next = numbers.next()) {
      const episode = await playEpisode(arena, seed + next.value, values.fault);
      tally.runs += 1;
      tally.calls += episode.calls;
      tally.settledMs.push(episode.settledMs);
      for (const [ending, count] of Object.entries(episode.ended)) add(tally.ended, ending, count);
      for (const problem of episode.problems) add(tally.problems, problem.split(':')[0] ?? problem);
      for (const fault of episode.faults) {
        add(tally.faults, fault.split(/ (?:after|by|no|8) /)[0] ?? fault);
      }
      if (episode.problems.length > 0) {
        tally.failed += 1;
        const world = nodes > 1 ? `--nodes ${nodes}` : `--bridge ${name}`;
        const more = `${values.webhooks ? ' --webhooks' : ''}${values.fault === undefined ? '' : ` --fault '${values.fault}'`}`;
        const repeat = `npm run chaos -- ${world}${more} --runs 1 --seed ${episode.seed}`;
        const lines = timelineOf(episode, before, repeat);
        say(`\n${lines.join('\n')}`);
        say(`  its timeline is kept in ${keepTimeline(values.keep, episode.seed, lines)}`);
      } else if (episode.isLate) {
        say(`\nrun ${episode.seed} settled late because the machine had no free processor`);
        for (const line of episode.timeline) say(`  ${line}`);
      }
      before = episode;
      if (tally.runs % 100 === 0) say(`${tally.runs} runs, ${tally.calls} calls, ${tally.failed} failed`);
    }
  } finally {
    const { posts, events } = arena.receiver?.counts() ?? { posts: 0, events: 0 };
    tally.posts += posts;
    tally.events += events;
    await arena.close();
  }
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

say(`chaos: ${runs} runs over ${values.bridge}${nodes > 1 ? ` and ${nodes} nodes` : ''}, seed ${seed}`);
for (const [nth, named] of worlds.entries()) {
  const from = Math.floor((runs * nth) / worlds.length);
  const to = Math.floor((runs * (nth + 1)) / worlds.length);
  const numbers = Array.from({ length: to - from }, (_, n) => from + n).values();
  await Promise.all(Array.from({ length: Math.min(workers, to - from) }, () => work(named, numbers)));
}
const sorted = tally.settledMs.sort((a, b) => a - b);
say(`faults: ${shown(tally.faults)}`);
say(`requests: ${tally.calls}; commands: ${shown(new Map([...tally.ended].sort()))}`);
if (values.webhooks) say(`webhooks: ${tally.events} events arrived in ${tally.posts} posts`);
say(`problems: ${tally.problems.size === 0 ? 'none' : shown(tally.problems)}`);
say(
  `settled after the bridge was back: median ${percentile(sorted, 0.5).toFixed(0)} ms, 99 % within ${percentile(sorted, 0.99).toFixed(0)} ms, at most ${(sorted.at(-1) ?? 0).toFixed(0)} ms`,
);
say(`${tally.runs - tally.failed} passed, ${tally.failed} failed`);
// Exits explicitly, because sockets that were cut on purpose close only later.
process.stdout.write('', () => process.exit(tally.failed === 0 ? 0 : 1));
