import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES, ROOT, read } from '../support/pages.ts';
import { cellsOf, proseOf, sentencesOf } from '../support/prose.ts';

/** Generated files are not read. */
const EXCLUDED = ['panel/src/api-types.ts'];
const READ =
  /\.(?:ts|tsx|js|cjs|lua|css|ya?ml|conf|cfg|service|env)$|(?:^|\/)(?:Caddyfile|Dockerfile)$|^\.ci\/|^release\//;

/** A comment that begins so has no subject: its reader has to guess the thing that it is about. */
const RIDDLE = /^(?:What|Who|Whom|Whose|Whoever|Whatever|Those|Nobody|Somebody|Everybody|So many|So long|All that)\b/;
/** Words that hide the actor: hub, bridge, caller, operator or player. Ids such as `char1:nobody` are data. */
const HIDDEN_ACTOR = /(?<![:\w-])(?:nobody|somebody|everybody|whoever|whom)\b/i;

const MAX_WORDS = 30;
const MAX_CELL_WORDS = 25;
const PROSE = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bridge-protocol/README.md'],
  ...PAGES,
];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .trim()
  .split('\n')
  .filter((file) => READ.test(file) && !EXCLUDED.some((path) => file.startsWith(path)) && existsSync(join(ROOT, file)));

/** The lines of a file that its readers would have to solve. */
const riddlesOf = (file: string, source: string): string[] =>
  proseOf(file, source)
    .filter(({ text, isComment }) => HIDDEN_ACTOR.test(text) || (isComment && RIDDLE.test(text)))
    .map(({ line, text }) => `${file}:${line} ${text.slice(0, 160)}`);

const longerThan = (most: number, texts: readonly string[]): string[] =>
  texts.filter((text) => text.split(/\s+/).length > most).map((text) => `${text.split(/\s+/).length} words: ${text}`);

/** Reading every file as code takes long, so only files with one of the words are read so. */
const CANDIDATE = new RegExp(`${HIDDEN_ACTOR.source}|(?:/\\*+|//|--+|#)\\s*${RIDDLE.source.slice(1)}`, 'im');

describe('the words of the project', () => {
  it('name a subject in comments, and the actor in comments, texts and names of tests', () => {
    expect(files.length).toBeGreaterThan(700);
    const found = files.flatMap((file) => {
      const source = read(file);
      return CANDIDATE.test(source) ? riddlesOf(file, source) : [];
    });
    expect(found).toEqual([]);
  });

  it.each([
    ['a.ts', '/** What it is. */\nconst a = 1;', 'a.ts:1 What it is.'],
    ['a.ts', 'f();\n// Then\n// somebody comes.\ng();', 'a.ts:2 Then somebody comes.'],
    ['a.ts', 'f(1, /** For whom. */ 2);', 'a.ts:1 For whom.'],
    ['a.ts', `throw new Error(\`No: \${a}, nobody here\`);`, 'a.ts:1 , nobody here'],
    ['a.tsx', 'const a = <p>Ask whoever runs it.</p>;', 'a.tsx:1 Ask whoever runs it.'],
    ['tests/a.test.ts', "it('tells everybody', () => f('nobody cares'));", 'tests/a.test.ts:1 tells everybody'],
    ['a.lua', 'local a = 1 -- Those that came.\n', 'a.lua:1 Those that came.'],
    ['a.css', '/* So many rows. */', 'a.css:1 So many rows.'],
    ['a.yaml', 'a: 1 # Who asks.\n', 'a.yaml:1 Who asks.'],
  ])('are found in %s: %s', (file, source, found) => {
    expect(CANDIDATE.test(source)).toBe(true);
    expect(riddlesOf(file, source)).toEqual([found]);
  });

  it('leave data alone', () => {
    expect(riddlesOf('a.ts', "f('char1:nobody', 'nobody', { somebody: 1 }); // The row of a player.")).toEqual([]);
  });
});

describe.each(PROSE)('%s', (page) => {
  it(`has no sentence of more than ${MAX_WORDS} words`, () => {
    expect(longerThan(MAX_WORDS, sentencesOf(read(page)))).toEqual([]);
  });

  it(`has no cell of more than ${MAX_CELL_WORDS} words`, () => {
    expect(longerThan(MAX_CELL_WORDS, cellsOf(read(page)))).toEqual([]);
  });
});
