import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_STATUSES } from '../db/schema/commands.ts';

const root = join(import.meta.dirname, '..');
const pageOf = (name: string): string => readFileSync(join(root, 'docs/explanation', name), 'utf8');

/** The rows of the tables of failure windows, without their heads. */
const windows = (pageOf('failure-windows.md').match(/^\| .+ \|$/gm) ?? []).filter(
  (row) => !row.startsWith('| window |'),
);

/** Every test that a failure window names, as its file and the beginning of its name. */
const named = windows
  .flatMap((row) => row.replace(/ \|$/, '').split(' | ').at(-1)?.split('<br>') ?? [])
  .map((cell): [string, string] => {
    const [, file = cell, name = ''] = /^`([^`]+)` › (.+)$/.exec(cell) ?? [];
    return [file, name];
  });

/** How many tests of a file, or rows of its tables of tests, have a name that begins so. */
const countTests = (file: string, name: string): number => {
  const source = readFileSync(join(root, file), 'utf8').replaceAll(/\s+/g, ' ');
  const befores = ['it(', 'it( ', 'it.skipIf(onPostgres)( ', '[', '[ '];
  return befores.reduce((count, before) => count + source.split(`${before}'${name}`).length - 1, 0);
};

describe('the life of a command in docs/explanation/reliability.md', () => {
  it('is drawn with every status, and no other', () => {
    const [, diagram = ''] = /stateDiagram-v2\n([\s\S]*?)```/.exec(pageOf('reliability.md')) ?? [];
    const drawn = [...diagram.matchAll(/^ {2}(\S+) --> (\w+)/gm)].flatMap(([, from = '', to = '']) => [from, to]);
    expect(new Set(drawn)).toEqual(new Set(['[*]', ...COMMAND_STATUSES]));
  });
});

describe('docs/explanation/failure-windows.md', () => {
  it('names a test for each failure window', () => {
    expect(windows.length).toBeGreaterThan(100);
    expect(windows.filter((row) => !row.includes(' › '))).toEqual([]);
  });

  it.each(named)('is right that there is one test %s › %s', (file, name) => {
    expect(countTests(file, name)).toBe(1);
  });
});
