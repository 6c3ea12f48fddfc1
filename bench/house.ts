import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { cyclesOf, localImportsOf } from '../tests/kit/source-tree.ts';

/**
 * Prints how large the product is: files, lines, names, imports and words of a checkout (argument; default this one). It
 * counts what git knows, so one program counts two checkouts alike. `crossed-files.ts` counts the files of a payment.
 */
const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const listed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const textsIn = (folders: readonly string[], name: RegExp): Map<string, string> =>
  new Map(
    listed
      .filter((file) => name.test(file) && folders.some((folder) => file.startsWith(`${folder}/`)))
      .map((file) => [file, textOf(file)]),
  );

const CODE = /\.(?:tsx?|js|css)$/;
const product = textsIn(['server', 'db', 'bridge-protocol'], /\.tsx?$/);
const around = textsIn(['bench', 'chaos', 'tests'], CODE);
const panel = textsIn(['panel'], CODE);
const docs = textsIn(['docs'], /(?<!^docs\/lab\/.*)\.md$/);

const linesOf = (texts: ReadonlyMap<string, string>): number =>
  [...texts.values()].reduce((sum, text) => sum + text.split('\n').length - 1, 0);
const wordsOf = (texts: ReadonlyMap<string, string>): number =>
  [...texts.values()].reduce((sum, text) => sum + text.split(/\s+/).filter(Boolean).length, 0);
const countOf = (texts: ReadonlyMap<string, string>, pattern: RegExp): number =>
  [...texts.values()].reduce((sum, text) => sum + (text.match(pattern) ?? []).length, 0);
const under = (folder: string): number => [...product.keys()].filter((file) => file.startsWith(folder)).length;

/** Members of the types `Reader` and `Database`: what an engine has to offer. */
const membersOfPort = (): number => {
  const port = product.get('db/database.ts') ?? '';
  const bodies = [...port.matchAll(/^export type (?:Reader|Database)\b[^{]*\{\n([\s\S]*?)^\};/gm)];
  return bodies.flatMap(([, body = '']) => body.match(/^ {2}(?:readonly )?\w+[(:<]/gm) ?? []).length;
};

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The longest chain of imports, counted in files. Files that reach each other are on one floor. */
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

/** The imports among the files of one folder, and of the folders in it. Imports of types count. */
const graphOf = (folder: string): Graph =>
  new Map(
    [...product]
      .filter(([file]) => file.startsWith(`${folder}/`))
      .map(([file, text]) => {
        const targets = localImportsOf(file, text).filter((target) => target.startsWith(`${folder}/`));
        return [file, new Set(targets.filter((target) => product.has(target)))];
      }),
  );
const commands = graphOf('server/commands');
const arrows = [...commands.values()].reduce((sum, to) => sum + to.size, 0);
const rooms = new Set([...product.keys()].map((file) => dirname(file)));

const counts: readonly (readonly [string, number | string])[] = [
  ['files in server/', under('server/')],
  ['files in server/commands/', under('server/commands/')],
  ['floors and imports inside of server/commands/', `${floorsOf(commands)}, ${arrows}`],
  ['files in db/', under('db/')],
  ['files in bridge-protocol/', under('bridge-protocol/')],
  ['folders of the three', rooms.size],
  ['lines of the three, without migrations', linesOf(product)],
  ['named types', countOf(product, /^(?:export )?(?:type|interface) [A-Z]/gm)],
  [
    'exported factories and classes',
    countOf(product, /^export (?:const (?:create|open|make)[A-Z]\w* = |(?:abstract )?class )/gm),
  ],
  ['members of the database port', membersOfPort()],
  ['files and lines in panel/', `${panel.size}, ${linesOf(panel)}`],
  ['lines of bench/, chaos/ and tests/', linesOf(around)],
  ['words of docs/ without docs/lab/', wordsOf(docs)],
];
process.stdout.write(counts.map(([what, count]) => `${what}: ${count}\n`).join(''));
