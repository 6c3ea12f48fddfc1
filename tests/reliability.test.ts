import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_STATUSES } from '../db/schema/command-status.ts';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/explanation/reliability.md'), 'utf8');

/** Every test that the tables of failure windows name, as its file and its name. */
const named = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes(' › '))
  .flatMap((line) => line.replace(/ \|$/, '').split(' | ').at(-1)?.split('<br>') ?? [])
  .map((cell): [string, string] => {
    const [, file = cell, name = ''] = /^`([^`]+)` › (.+)$/.exec(cell) ?? [];
    return [file, name];
  });

/** Whether a file has a test of this name, or a row of a table of tests that begins with it. */
const hasTest = (file: string, name: string): boolean => {
  const literal = `'${name}'`;
  const source = readFileSync(join(root, file), 'utf8').replaceAll(/\s+/g, ' ');
  return ['it(', 'it( ', 'it.skipIf(onPostgres)( ', '[', '[ '].some((before) =>
    source.includes(`${before}${literal},`),
  );
};

describe('docs/explanation/reliability.md', () => {
  it('draws every status of a command, and no other', () => {
    const [, diagram = ''] = /stateDiagram-v2\n([\s\S]*?)```/.exec(page) ?? [];
    const drawn = [...diagram.matchAll(/^ {2}(\S+) --> (\w+)/gm)].flatMap(([, from = '', to = '']) => [from, to]);
    expect(new Set(drawn)).toEqual(new Set(['[*]', ...COMMAND_STATUSES]));
  });

  it('names a test for each failure window', () => {
    const rows =
      page
        .split('\n## Failure windows')[1]
        ?.split('\n## ')[0]
        ?.match(/^\| .+ \|$/gm) ?? [];
    const windows = rows.filter((row) => !row.startsWith('| window |'));
    expect(windows.length).toBeGreaterThan(40);
    expect(windows.filter((row) => !row.includes(' › '))).toEqual([]);
  });

  it.each(named)('is right that there is %s › %s', (file, name) => {
    expect(hasTest(file, name)).toBe(true);
  });
});
