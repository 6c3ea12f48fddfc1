import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The TypeScript of this project by path, new files included. */
export const readSources = (): Map<string, string> => {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'], {
    cwd: root,
  });
  const files = listed.toString().trim().split('\n');
  const present = files.filter((file) => existsSync(join(root, file)));
  return new Map(present.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
};

const STATIC = /^(?:import|export)\b(?:[^'"`;=()]*?\bfrom)?\s*'([^'\n]+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^'\n]+)'/g;

/** Every module that a text names in imports and exports, types included. */
export const importsOf = (text: string): string[] =>
  [STATIC, DYNAMIC].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));

/** The files that a file imports, as paths from the root. */
export const localImportsOf = (file: string, text: string): string[] =>
  importsOf(text)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(root, join(root, dirname(file), name)));

/** The files in some folders. */
export const filesIn = (all: Iterable<string>, folders: readonly string[]): string[] =>
  [...all].filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));

/** Groups of nodes that reach each other (Tarjan), each as a sorted list. An arrow to itself is no cycle. */
export const cyclesOf = (graph: ReadonlyMap<string, readonly string[]>): string[][] => {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  const visit = (node: string): number => {
    const at = order.size;
    let low = at;
    order.set(node, at);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, lowest.get(next) ?? order.get(next) ?? low);
      lowest.set(node, low);
    }
    lowest.set(node, low);
    if (low === at) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) cycles.push(group.sort());
    }
    return low;
  };

  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles;
};
