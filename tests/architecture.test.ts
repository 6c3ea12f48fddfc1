import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as tree from './kit/source-tree.ts';

const source = tree.readSources();
const everything = [...source.keys()];
const textOf = (file: string): string => source.get(file) ?? '';
/** Folders of the product, without tests, measurements and packaging. */
const files = everything.filter((file) => !/^(tests|bench|chaos|release)\//.test(file));

/** From the top down; a file imports from its own row (same folder) and from rows below it. */
const ROWS: readonly (readonly RegExp[])[] = [
  [/^server\/cli\//],
  [/^server\/[a-z-]+\.ts$/],
  [/^server\/http\/routes\//],
  [/^server\/http\//, /^server\/gateway\//],
  [/^server\/parts\//],
  [/^server\/schedules\//, /^server\/shops\//, /^server\/webhooks\//],
  [/^server\/events\//],
  [/^server\/commands\//, /^server\/players\//, /^server\/panel\//, /^server\/admin\//],
  [/^server\/cluster\//, /^server\/auth\//],
  [/^server\/platform\//],
  [/^conformance\/[a-z-]+\.ts$/],
  [/^conformance\/checks\//],
  [/^conformance\/stage\//],
  [/^conformance\/hub\//],
  [/^conformance\/judges\//],
  [/^conformance\/line\//],
  [/^db\/(store|open|copy)\.ts$/],
  [/^db\/sqlite\//, /^db\/postgres\//],
  [/^db\/queries\/commands\//, /^db\/queries\/players\//],
  [/^db\/queries\//, /^db\/migrations\//],
  [/^db\/[a-z-]+\.ts$/],
  [/^db\/schema\//],
  [/^bridge-protocol\/(index|ws|fold)\.ts$/],
  [/^bridge-protocol\/client\//],
  [/^bridge-protocol\/custom\//],
  [/^bridge-protocol\/journal\//],
  [/^bridge-protocol\/wire\//],
];

/** Folders whose files, all together, must not import in a circle. */
const ACYCLIC = [
  ...['server', 'db', 'bridge-protocol', 'conformance', 'simulator', 'bridge', 'bridge-luanti', 'panel'],
  ...['tests', 'chaos', 'bench', 'release', 'clients'],
];
/** One noun, which a reader can hold in the head. */
const FILE_LINES = 500;

const rowOf = (file: string): number => ROWS.findIndex((row) => row.some((pattern) => pattern.test(file)));
const columnOf = (file: string): number => ROWS[rowOf(file)]?.findIndex((pattern) => pattern.test(file)) ?? -1;

const importsOf = (file: string): string[] => tree.importsOf(textOf(file));
const localImports = new Map(everything.map((file) => [file, tree.localImportsOf(file, textOf(file))]));
const localImportsOf = (file: string): readonly string[] => localImports.get(file) ?? [];
const filesIn = (...folders: string[]): string[] => tree.filesIn(files, folders);

const users = (packages: RegExp): string[] =>
  files.filter((file) => importsOf(file).some((name) => packages.test(name)));

/** Files outside of some places that import a folder. */
const importersOf = (folder: string, allowed: RegExp): string[] =>
  everything.filter(
    (file) => !allowed.test(file) && localImportsOf(file).some((target) => target.startsWith(`${folder}/`)),
  );

/** Folders under one that import from each other, types included. A file beside the folders stands for itself. */
const folderCycles = (top: string): string[][] => {
  const folderOf = (file: string): string => (dirname(file) === top ? file : dirname(file));
  const graph = new Map<string, string[]>();
  for (const file of filesIn(top)) {
    const targets = localImportsOf(file).map(folderOf);
    graph.set(folderOf(file), [...(graph.get(folderOf(file)) ?? []), ...targets]);
  }
  return tree.cyclesOf(graph);
};

describe('the architecture', () => {
  it('has no files that import in a circle, types included', () => {
    const graph = new Map(tree.filesIn(everything, ACYCLIC).map((file) => [file, localImportsOf(file)]));
    expect(graph.size).toBeGreaterThan(300);
    expect(tree.cyclesOf(graph)).toEqual([]);
  });

  it.each(['db', 'server', 'bridge-protocol', 'conformance'])('has no folders of %s that import in a circle', (top) => {
    expect(folderCycles(top)).toEqual([]);
  });

  it('lets only the command line and measurements use the simulator', () => {
    expect(importersOf('simulator', /^(simulator|server\/cli|tests|bench|chaos)\//)).toEqual([]);
  });

  it.each(filesIn('server', 'db', 'conformance', 'bridge-protocol'))('%s imports only downwards', (file) => {
    const wrong = localImportsOf(file).filter((target) => {
      if (target.endsWith('.json') || target.startsWith('simulator/')) return false;
      const from = rowOf(file);
      const to = rowOf(target);
      return to === -1 || to < from || (to === from && columnOf(file) !== columnOf(target));
    });
    expect(wrong).toEqual([]);
  });

  it.each(filesIn('bridge', 'conformance', 'simulator'))('%s imports nothing of the hub', (file) => {
    const own = `${file.split('/', 1)[0]}/`;
    const foreign = localImportsOf(file).filter((target) => !target.startsWith(own));
    expect(foreign.filter((target) => !target.startsWith('bridge-protocol/'))).toEqual([]);
  });

  it('keeps bridge-protocol free of everything but zod, and other packages where those are asked for', () => {
    const own = ['bridge-protocol/ws.ts', 'bridge-protocol/fold.ts'];
    const portable = filesIn('bridge-protocol').filter((file) => !own.includes(file));
    const foreign = portable.flatMap((file) =>
      importsOf(file).filter((name) => !name.startsWith('.') && !name.startsWith('node:') && name !== 'zod/mini'),
    );
    expect(foreign).toEqual([]);
  });

  it('keeps all that only Node.js has out of what is bundled for a game server', () => {
    const reach = (file: string, seen = new Set<string>()): Set<string> => {
      if (!seen.has(file)) for (const next of localImportsOf(file)) reach(next, seen.add(file));
      return seen.add(file);
    };
    const bundled = [...reach('bridge-protocol/index.ts')];
    expect(bundled.filter((file) => importsOf(file).some((name) => name.startsWith('node:')))).toEqual([]);
    expect(bundled.filter((file) => /\b(Buffer|process|setImmediate)\b[.(]/.test(textOf(file)))).toEqual([]);
  });

  it('lets db see only types of bridge-protocol, and how it compares texts', () => {
    const values = filesIn('db').filter((file) =>
      /import (?!type)[^;]*from '[./]*\/bridge-protocol\/(?!fold\.ts)/.test(textOf(file)),
    );
    expect(values).toEqual([]);
  });

  it('lets only the command line use conformance', () => {
    expect(importersOf('conformance', /^(conformance|server\/cli|tests)\//)).toEqual([]);
  });

  it('names drizzle only in db, ws only at sockets, hono only in http, NATS only in its bus', () => {
    expect(users(/^drizzle/).filter((file) => !/^(db\/|drizzle\.config\.ts$)/.test(file))).toEqual([]);
    expect(
      users(/^ws$/).filter(
        (file) =>
          !/^(server\/gateway\/|bridge-protocol\/ws\.ts$|bridge\/first-uses\.ts$|conformance\/line\/)/.test(file),
      ),
    ).toEqual([]);
    expect(users(/^@nats-io/)).toEqual(['server/cluster/bus-nats.ts']);
    expect(users(/^@?hono/).filter((file) => !/^server\/(http\/|app\.ts$)/.test(file))).toEqual([]);
  });

  it('reads the environment only at the command line', () => {
    const readers = files.filter((file) => textOf(file).includes('process.env'));
    expect(readers.filter((file) => !/^(server\/cli\/|(drizzle|vitest)\.config\.ts$)/.test(file))).toEqual([]);
  });

  it('lets the panel know the hub by its API only, and compare texts as the hub does', () => {
    const isForeign = (target: string): boolean =>
      !/^(panel\/src|clients\/typescript)\//.test(target) && target !== 'bridge-protocol/fold.ts';
    const foreign = filesIn('panel/src').filter((file) => localImportsOf(file).some(isForeign));
    expect(foreign).toEqual([]);
  });

  it('keeps the client free of packages, of the rest of this project, and of what only Node.js has', () => {
    const client = filesIn('clients/typescript');
    expect(client.flatMap(importsOf).filter((name) => !/^\.\/[a-z-]+\.ts$/.test(name))).toEqual([]);
    expect(client.filter((file) => /\b(Buffer|process|setImmediate)\b[.(]/.test(textOf(file)))).toEqual([]);
  });

  it(`has no file over ${FILE_LINES} lines`, () => {
    const written = everything.filter(
      (file) => !/^(clients\/typescript\/api-types\.ts$|panel\/src\/messages\/)/.test(file),
    );
    expect(written.filter((file) => textOf(file).split('\n').length > FILE_LINES + 1)).toEqual([]);
  });

  it('has no any, no silenced check, and no member that is private to the compiler only', () => {
    const offenders = files.filter((file) =>
      /\bas any\b|: any\b|<any>|@ts-|biome-ignore|^\s+(?:private|protected|public) \w/m.test(textOf(file)),
    );
    expect(offenders).toEqual([]);
  });
});
