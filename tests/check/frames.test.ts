import ts from 'typescript';
import { expect, it } from 'vitest';
import { filesIn, readSources } from '../kit/source-tree.ts';

const source = readSources();
const textOf = (file: string): string => source.get(file) ?? '';
const parse = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, file.endsWith('x') ? ts.ScriptKind.TSX : undefined);

const nodesIn = function* (node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesIn(child);
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

it('has no switch over frames that leaves one out', () => {
  const switches = filesIn(source.keys(), ['server/gateway', 'bridge-protocol']).flatMap((file) =>
    frameSwitchesOf(file, textOf(file)).map(({ isClosed }) => ({ file, isClosed })),
  );
  // One at each end of the wire.
  expect(switches.map(({ file }) => file.split('/', 1)[0])).toEqual(['bridge-protocol', 'server']);
  expect(switches.filter(({ isClosed }) => !isClosed)).toEqual([]);
});
