import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../release/files.ts';
import { prepareFolder } from '../../../server/cli/program-folder.ts';
import { newFile } from '../../kit/folder.ts';

const me = process.geteuid?.() ?? 0;

/** An executable of a version with one file. */
const programOf = (version: string) => {
  const content = `console.log('${version}');`;
  const hashes = { 'server/main.js': sha256(content) };
  return { version, hashes, text: JSON.stringify({ version, hashes }), bytesOf: () => Buffer.from(content) };
};

/** Prepares a version that was last used some hours ago. */
const prepareAgo = (home: string, version: string, hours: number): string => {
  const folder = prepareFolder(home, programOf(version));
  const at = new Date(Date.now() - hours * 3_600_000);
  utimesSync(folder, at, at);
  return basename(folder);
};

describe('the folder of the executable', () => {
  it('holds the files of this version, and changed files are written anew', () => {
    const home = newFile('.causeway');
    const folder = prepareFolder(home, programOf('1.2.3-rc.1'));
    expect(basename(folder)).toMatch(/^1\.2\.3-rc\.1-[0-9a-f]{12}$/);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const file = join(folder, 'server/main.js');
    writeFileSync(file, 'changed');
    expect(prepareFolder(home, programOf('1.2.3-rc.1'))).toBe(folder);
    expect(readFileSync(file, 'utf8')).toBe("console.log('1.2.3-rc.1');");
    expect(readdirSync(join(folder, 'server'))).toEqual(['main.js']);
  });

  it('keeps three versions, and removes nothing else', () => {
    const home = newFile('.causeway');
    const names = [5, 4, 3].map((hours) => prepareAgo(home, `1.0.${hours}`, hours));
    const strangers = ['letters', '2.0.0-0123456789ab', '1.0.9-rc.1'];
    for (const name of strangers) mkdirSync(join(home, name));
    writeFileSync(join(home, 'letters/to-my-mother.txt'), 'Dear mother');
    writeFileSync(join(home, '2.0.0-0123456789ab/contents.json'), '{}');
    writeFileSync(join(home, '3.0.0-0123456789ab'), 'a file');
    for (const name of readdirSync(home)) if (!names.includes(name)) utimesSync(join(home, name), 1, 1);
    const newest = basename(prepareFolder(home, programOf('1.1.0')));
    const expected = [...names.slice(1), newest, ...strangers, '3.0.0-0123456789ab'];
    expect(readdirSync(home).sort()).toEqual(expected.sort());
    expect(readFileSync(join(home, 'letters/to-my-mother.txt'), 'utf8')).toBe('Dear mother');
  });

  it('stays when the clock was set back', () => {
    const home = newFile('.causeway');
    for (const version of ['1.0.1', '1.0.2', '1.0.3']) prepareAgo(home, version, -24);
    expect(existsSync(prepareFolder(home, programOf('1.1.0')))).toBe(true);
  });
});

describe('a folder that another user could change', () => {
  it('is refused while others may write into it, with the remedy', () => {
    const home = newFile('.causeway');
    const folder = prepareFolder(home, programOf('1.0.0'));
    chmodSync(folder, 0o777);
    const prepare = () => prepareFolder(home, programOf('1.0.0'));
    expect(prepare).toThrow(`other users may write into ${folder}; run: rm -r ${folder}`);
    rmSync(folder, { recursive: true });
    chmodSync(home, 0o775);
    expect(prepare).toThrow(`other users may write into ${home}; run: chmod go-w ${home}`);
    chmodSync(home, 0o1777);
    expect(prepare()).toBe(folder);
  });

  it('is refused when it belongs to another user', () => {
    const home = newFile('.causeway');
    const folder = prepareFolder(home, programOf('1.0.0'));
    const other = me + 1;
    const belongs = me === 0 ? folder : home;
    expect(() => prepareFolder(home, programOf('1.0.0'), other)).toThrow(
      `${belongs} belongs to another user (uid ${me})`,
    );
  });

  it('is refused when it is a link', () => {
    const home = newFile('.causeway');
    const folder = prepareFolder(home, programOf('1.0.0'));
    rmSync(folder, { recursive: true });
    mkdirSync(`${home}-elsewhere`);
    symlinkSync(`${home}-elsewhere`, folder);
    expect(() => prepareFolder(home, programOf('1.0.0'))).toThrow(`${folder} is not a folder; remove it`);
  });
});
