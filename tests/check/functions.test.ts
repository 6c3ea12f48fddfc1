import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { filesIn, readSources } from '../support/source-tree.ts';

const source = readSources();
const textOf = (file: string): string => source.get(file) ?? '';
const FOLDERS = ['server', 'db', 'bridge-protocol', 'conformance', 'simulator', 'bridge', 'chaos', 'bench'];
const FACTORY_LINES = 120;
/** Factories that are longer. An entry is removed once its factory is short enough; none is added. */
const LONG_FACTORIES = [
  'bridge-protocol/client/connection.ts createConnection',
  'bridge-protocol/client/dialer.ts createDialer',
  'server/auth/credentials.ts createCredentials',
  'server/commands/command.ts createLiveCommands',
  'server/commands/commands.ts createCommands',
  'server/commands/queue.ts createQueue',
  'server/commands/send.ts createSend',
  'server/commands/submit.ts createSubmit',
  'server/gateway/frames.ts createFrames',
  'server/gateway/gateway.ts createGateway',
  'server/gateway/greet.ts createGreet',
  'server/gateway/sweep.ts createSweep',
  'server/players/players.ts createPlayers',
];

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

const longFactories = (): string[] =>
  filesIn(source.keys(), FOLDERS).flatMap((file) =>
    functionsOf(file, textOf(file))
      .filter(({ name, lines }) => name.startsWith('create') && lines > FACTORY_LINES)
      .map(({ name }) => `${file} ${name}`),
  );

describe('functions', () => {
  it(`has no factory over ${FACTORY_LINES} lines but those that are named, and names none that is short`, () => {
    expect(longFactories().sort()).toEqual(LONG_FACTORIES);
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
