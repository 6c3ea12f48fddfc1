import { join } from 'node:path';
import * as ts from 'typescript';
import { expect, it } from 'vitest';
import { ROOT, read } from '../kit/pages.ts';

/** The code that a block of the page takes for granted, before and after it. */
const AROUND: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['', ''],
  [
    `import type { CommandHandler, CommandParams, Journal, Outcome } from './bridge-protocol/index.ts';
     declare const db: { transaction: (work: () => Outcome) => { immediate: () => Outcome } };
     declare const pay: (params: CommandParams<'money'>) => Outcome;
     declare const journal: Journal;`,
    'export const commands = { money };',
  ],
  ['', 'export { custom };'],
  [
    `import type { BridgeOptions } from './bridge-protocol/index.ts';
     declare const game: { onlineCount: () => number; lastTickMs: () => number };
     export const options: Pick<BridgeOptions, 'status'> = {`,
    '};',
  ],
];

/** The game that the second block imports. */
const GAME = `
  type GamePlayer = {
    balance: (type: string) => number | undefined;
    accountTypes: () => string[];
    setBalance: (type: string, balance: number) => void;
  };
  export declare const game: {
    find: (identifier: string) => Promise<GamePlayer | undefined>;
    saveNow: (player: GamePlayer) => Promise<void>;
  };`;

const blocks = [...read('docs/guides/write-a-bridge.md').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
  ([, code = ''], nth) => {
    const [before, after] = AROUND[nth] ?? ['', ''];
    return { path: join(ROOT, `page-block-${nth}.ts`), code: `${before}\n${code}\n${after}` };
  },
);

/** Compiles files that exist in memory only, with the options of the project. Answers the messages. */
const problemsOf = (files: ReadonlyMap<string, string>): string[] => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const code = files.get(path);
    return code === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, code, ts.ScriptTarget.Latest);
  };
  const program = ts.createProgram([...files.keys()], { ...options, noEmit: true }, host);
  return [...files.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
    );
  });
};

const asFiles = (code: (block: string) => string): Map<string, string> =>
  new Map([[join(ROOT, 'my-game.ts'), GAME], ...blocks.map((block) => [block.path, code(block.code)] as const)]);

it('knows what every block of write-a-bridge.md needs', () => {
  expect(blocks.length).toBe(AROUND.length);
});

it('compiles every block of write-a-bridge.md', () => {
  expect(problemsOf(asFiles((code) => code))).toEqual([]);
});

it('notices a field that does not exist', () => {
  const broken = asFiles((code) =>
    code.replace('onlineCount()', 'onlineCountt()').replace('accountTypes()', 'types()'),
  );
  expect(problemsOf(broken).length).toBe(2);
});
