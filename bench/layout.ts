import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { cyclesOf, localImportsOf } from '../tests/support/source-tree.ts';

/**
 * Prints the rooms, floors and arrows of db/ and server/ at a commit (argument; default HEAD). A room is a folder, a floor
 * a level of imports, an arrow an import from one room into another. Imports of types count.
 */
const commit = process.argv[2] ?? 'HEAD';
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: `${import.meta.dirname}/..`, encoding: 'utf8', maxBuffer: 64 * 1_048_576 });

const files = git('ls-tree', '-r', '--name-only', commit, 'db', 'server')
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'));
const imports = new Map(files.map((file) => [file, localImportsOf(file, git('show', `${commit}:${file}`))]));

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The longest chain of arrows, counted in nodes. Nodes that reach each other are on one floor. */
const floorsOf = (graph: Graph): number => {
  const cycles = cyclesOf(new Map([...graph].map(([node, to]) => [node, [...to]])));
  const groupOf = new Map(cycles.flatMap((group) => group.map((node) => [node, group] as const)));
  const floors = new Map<string, number>();
  const floorOf = (node: string): number => {
    const group = groupOf.get(node) ?? [node];
    const known = floors.get(group[0] ?? node);
    if (known !== undefined) return known;
    const below = group.flatMap((member) => [...(graph.get(member) ?? [])]).filter((next) => !group.includes(next));
    const floor = 1 + Math.max(0, ...below.map(floorOf));
    floors.set(group[0] ?? node, floor);
    return floor;
  };
  return Math.max(0, ...[...graph.keys()].map(floorOf));
};

/** The imports among the files that `nodeOf` gives a node, without those inside of a node. */
const graphOf = (nodeOf: (file: string) => string | undefined): Graph => {
  const graph = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const from = nodeOf(file);
    if (from === undefined) continue;
    const to = graph.get(from) ?? new Set();
    graph.set(from, to);
    for (const target of targets) {
      const node = imports.has(target) ? nodeOf(target) : undefined;
      if (node !== undefined && node !== from) to.add(node);
    }
  }
  return graph;
};

const roomOf = dirname;
const rooms = graphOf(roomOf);
const within = (room: string): string[] => files.filter((file) => roomOf(file) === room);
const crossing = [...imports].flatMap(([file, targets]) =>
  targets.filter((target) => imports.has(target) && roomOf(target) !== roomOf(file)),
);
const arrows = [...rooms.values()].reduce((sum, to) => sum + to.size, 0);
const cycles = cyclesOf(new Map([...rooms].map(([room, to]) => [room, [...to]])));
const depths = [...rooms.keys()].map((room) => {
  const inRoom = new Set(within(room));
  return { room, files: inRoom.size, floors: floorsOf(graphOf((file) => (inRoom.has(file) ? file : undefined))) };
});
const most = (by: 'files' | 'floors'): string => {
  const [first] = depths.toSorted((one, other) => other[by] - one[by]);
  return first === undefined ? '' : `${first[by]} (${first.room}/)`;
};

process.stdout.write(
  `${[
    ['files', files.length],
    ['rooms', rooms.size],
    ['floors of rooms', floorsOf(rooms)],
    ['arrows: pairs of rooms', arrows],
    ['arrows: imports between rooms', crossing.length],
    ['rooms that import in a circle', cycles.flat().length],
    ['most files in a room', most('files')],
    ['most floors in a room', most('floors')],
    ['floors of files', floorsOf(graphOf((file) => file))],
  ]
    .map(([what, value]) => `${what}: ${value}`)
    .join('\n')}\n`,
);
