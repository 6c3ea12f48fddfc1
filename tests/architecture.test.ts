import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'], {
  cwd: root,
})
  .toString()
  .trim()
  .split('\n')
  .filter((file) => !/^(tests|bench|chaos)\//.test(file));
const source = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

/** From the top down; a file imports from its own row (same folder) and from rows below it. */
const ROWS: readonly (readonly RegExp[])[] = [
  [/^server\/cli\//],
  [/^server\/[a-z-]+\.ts$/],
  [/^server\/rest\/routes\//],
  [/^server\/rest\/commands\//, /^server\/rest\/pages\//],
  [/^server\/rest\//, /^server\/gateway\//],
  [/^server\/commands\//, /^server\/players\//, /^server\/panel-api\//, /^server\/admin\//],
  [/^server\/cluster\//, /^server\/auth\//],
  [/^server\/platform\//],
  [/^db\/[a-z-]+\.ts$/, /^conformance\//],
  [/^db\/sqlite\//, /^db\/postgres\//, /^db\/queries\/commands\//, /^db\/queries\/players\//],
  [/^db\/queries\//, /^db\/migrations\//],
  [/^db\/port\//],
  [/^db\/schema\//],
  [/^bridge-protocol\//],
];

const rowOf = (file: string): number => ROWS.findIndex((row) => row.some((pattern) => pattern.test(file)));
const columnOf = (file: string): number => ROWS[rowOf(file)]?.findIndex((pattern) => pattern.test(file)) ?? -1;

const importsOf = (file: string): string[] =>
  [...(source.get(file) ?? '').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1] ?? '');
const localImportsOf = (file: string): string[] =>
  importsOf(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(root, join(root, dirname(file), name)));

const filesIn = (...folders: string[]): string[] =>
  files.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));

const users = (packages: RegExp): string[] =>
  files.filter((file) => importsOf(file).some((name) => packages.test(name)));

/** Folders that import from one another, types included, each pair once. */
const mutualImports = (top: string): string[] => {
  const arrows = new Set(
    filesIn(top).flatMap((file) => localImportsOf(file).map((target) => `${dirname(file)} ${dirname(target)}`)),
  );
  return [...arrows].filter((arrow) => {
    const [from = '', to = ''] = arrow.split(' ');
    return from < to && arrows.has(`${to} ${from}`);
  });
};

describe('the architecture', () => {
  it.each(['db', 'server'])('has no folder of %s that imports from another one which imports from it', (top) => {
    expect(mutualImports(top)).toEqual([]);
  });

  it('lets only the command line use the simulator', () => {
    const users = files.filter((file) => localImportsOf(file).some((target) => target.startsWith('simulator/')));
    expect(users.filter((file) => !/^(simulator|server\/cli)\//.test(file))).toEqual([]);
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

  it.each(filesIn('bridge'))('%s imports nothing of the hub', (file) => {
    expect(localImportsOf(file).filter((target) => !/^bridge(-protocol)?\//.test(target))).toEqual([]);
  });

  it('keeps bridge-protocol free of everything but zod and re2js, and ws where that is asked for', () => {
    const portable = filesIn('bridge-protocol').filter((file) => file !== 'bridge-protocol/ws.ts');
    const foreign = portable.flatMap((file) =>
      importsOf(file).filter(
        (name) => !name.startsWith('.') && !name.startsWith('node:') && !/^(?:zod|re2js)/.test(name),
      ),
    );
    expect(foreign).toEqual([]);
  });

  it('keeps node: out of what is bundled for a game server', () => {
    const reach = (file: string, seen = new Set<string>()): Set<string> => {
      if (!seen.has(file)) for (const next of localImportsOf(file)) reach(next, seen.add(file));
      return seen.add(file);
    };
    const bundled = [...reach('bridge-protocol/index.ts')];
    expect(bundled.filter((file) => importsOf(file).some((name) => name.startsWith('node:')))).toEqual([]);
  });

  it('lets db see only types of bridge-protocol', () => {
    const values = filesIn('db').filter((file) =>
      /import (?!type)[^;]*from '[./]*\/bridge-protocol/.test(source.get(file) ?? ''),
    );
    expect(values).toEqual([]);
  });

  it('lets only the command line use conformance', () => {
    const users = files.filter((file) => localImportsOf(file).some((target) => target.startsWith('conformance/')));
    expect(users.filter((file) => !/^(conformance\/|server\/cli\/)/.test(file))).toEqual([]);
  });

  it('names drizzle only in db, ws only at sockets, hono only in REST, NATS only in its bus', () => {
    expect(users(/^drizzle/).filter((file) => !/^(db\/|drizzle\.config\.ts$)/.test(file))).toEqual([]);
    expect(
      users(/^ws$/).filter((file) => !/^(server\/gateway\/|bridge-protocol\/ws\.ts$|conformance\/line\/)/.test(file)),
    ).toEqual([]);
    expect(users(/^@nats-io/)).toEqual(['server/cluster/bus-nats.ts']);
    expect(users(/^@?hono/).filter((file) => !/^server\/(rest\/|app\.ts$|listener\.ts$)/.test(file))).toEqual([]);
  });

  it('reads the environment only at the command line', () => {
    const readers = files.filter((file) => source.get(file)?.includes('process.env'));
    expect(readers.filter((file) => !/^(server\/cli\/|drizzle\.config\.ts$)/.test(file))).toEqual([]);
  });

  it('lets the panel know the hub by its API only', () => {
    const foreign = filesIn('panel/src').filter((file) =>
      localImportsOf(file).some((target) => !target.startsWith('panel/src/')),
    );
    expect(foreign).toEqual([]);
  });

  it('has no file over 300 lines, and names those over 200', () => {
    const written = files.filter((file) => !/^panel\/src\/(api-types\.ts$|messages\/)/.test(file));
    const over = (lines: number) => written.filter((file) => (source.get(file)?.split('\n').length ?? 0) > lines + 1);
    expect(over(300)).toEqual([]);
    if (over(200).length > 0) process.stdout.write(`over 200 lines: ${over(200).join(', ')}\n`);
  });

  it('has no any, no silenced check and no class but errors', () => {
    const offenders = files.filter((file) =>
      /\bas any\b|: any\b|<any>|@ts-|biome-ignore|^(export )?class (?!\w+ extends \w*Error\b)/m.test(
        source.get(file) ?? '',
      ),
    );
    expect(offenders).toEqual([]);
  });
});
