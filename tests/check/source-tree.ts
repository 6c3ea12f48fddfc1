import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

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

/** Every module that a text names, types included. */
export const importsOf = (text: string): string[] =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);

/** The files that a file imports, as paths from the root. */
export const localImportsOf = (file: string, text: string): string[] =>
  importsOf(text)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(root, join(root, dirname(file), name)));

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

const parse = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, file.endsWith('x') ? ts.ScriptKind.TSX : undefined);

const nodesIn = function* (node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesIn(child);
};

const nameOf = (node: ts.Node): string | undefined => {
  if (ts.isFunctionDeclaration(node)) return node.name?.text;
  if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || node.initializer === undefined)
    return undefined;
  const { initializer } = node;
  return ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer) ? node.name.text : undefined;
};

/** Functions of a file that have a name, with their length in lines. */
export const functionsOf = (file: string, text: string): { name: string; lines: number }[] => {
  const tree = parse(file, text);
  const lineOf = (at: number): number => tree.getLineAndCharacterOfPosition(at).line;
  return [...nodesIn(tree)].flatMap((node) => {
    const name = nameOf(node);
    return name === undefined ? [] : [{ name, lines: lineOf(node.getEnd()) - lineOf(node.getStart()) + 1 }];
  });
};

const endsInNever = ({ clauses }: ts.CaseBlock): boolean => {
  const last = clauses.at(-1);
  return last !== undefined && ts.isDefaultClause(last) && /\bsatisfies never\b/.test(last.getText());
};

/** The switches over the type of a frame, and whether the compiler notices a type that they do not name. */
export const frameSwitchesOf = (file: string, text: string): { isClosed: boolean }[] =>
  [...nodesIn(parse(file, text))]
    .filter(ts.isSwitchStatement)
    .filter(({ expression }) => /^(message|frame)\.type$/.test(expression.getText()))
    .map(({ caseBlock }) => ({ isClosed: endsInNever(caseBlock) }));
