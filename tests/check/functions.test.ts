import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { filesIn, readSources } from '../support/source-tree.ts';

const source = readSources();
const textOf = (file: string): string => source.get(file) ?? '';
const FOLDERS = ['server', 'db', 'bridge-protocol', 'conformance', 'simulator', 'bridge', 'chaos', 'bench'];
const FUNCTION_LINES = 60;

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
const functionsOf = (file: string, text: string): { name: string; lines: number }[] => {
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
const frameSwitchesOf = (file: string, text: string): { isClosed: boolean }[] =>
  [...nodesIn(parse(file, text))]
    .filter(ts.isSwitchStatement)
    .filter(({ expression }) => /^(message|frame)\.type$/.test(expression.getText()))
    .map(({ caseBlock }) => ({ isClosed: endsInNever(caseBlock) }));

/** A factory returns functions, and is as long as its noun: it is no function that is read from its first line to its last. */
const isFactory = (name: string): boolean => /^(?:create|open|make|start)[A-Z]/.test(name);

describe('functions', () => {
  it(`has none over ${FUNCTION_LINES} lines but factories`, () => {
    const long = filesIn(source.keys(), FOLDERS).flatMap((file) =>
      functionsOf(file, textOf(file))
        .filter(({ name, lines }) => !isFactory(name) && lines > FUNCTION_LINES)
        .map(({ name, lines }) => `${file} ${name} ${lines}`),
    );
    expect(long).toEqual([]);
  });

  it('has no switch over frames that leaves one out', () => {
    const switches = filesIn(source.keys(), ['server/gateway', 'bridge-protocol']).flatMap((file) =>
      frameSwitchesOf(file, textOf(file)).map(({ isClosed }) => ({ file, isClosed })),
    );
    // One at each end of the wire.
    expect(switches.map(({ file }) => file.split('/', 1)[0])).toEqual(['bridge-protocol', 'server']);
    expect(switches.filter(({ isClosed }) => !isClosed)).toEqual([]);
  });
});
