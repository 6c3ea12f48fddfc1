import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

type Copy = { from: string | undefined; sources: string[]; target: string };
type Stage = { name: string; folder: string; copies: Copy[]; runs: string[] };

/** The stages of the Dockerfile, with what each copies and runs, in order. */
export const readStages = (): Stage[] => {
  const stages: Stage[] = [];
  for (const line of readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split('\n')) {
    const [instruction = '', ...words] = line.split(' ');
    const stage = stages.at(-1);
    if (instruction === 'FROM') {
      stages.push({ name: words[2] ?? '', folder: '/', copies: [], runs: [] });
    } else if (instruction === 'WORKDIR' && stage !== undefined) {
      stage.folder = words[0] ?? '';
    } else if (instruction === 'COPY') {
      const from = words[0]?.startsWith('--from=') === true ? words.shift()?.slice('--from='.length) : undefined;
      stage?.copies.push({ from, sources: words.slice(0, -1), target: words.at(-1) ?? '' });
    } else if (instruction === 'RUN') {
      stage?.runs.push(words.join(' '));
    }
  }
  return stages;
};

/** The files of a checkout below a path: neither packages nor results of a build, as .dockerignore leaves them out. */
const checkedIn = (path: string): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', path], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((name) => name !== '');

/** Where Docker puts a source: a folder's content goes into the target, a file below it or in its place. */
const placeOf = (source: string, target: string, isFolder: boolean): string =>
  isFolder || !target.endsWith('/') ? posix.normalize(target) : posix.join(target, basename(source));

/** Does the COPY lines of one stage. `stages` has the folders of earlier stages. @throws Error for a missing source */
export const copyInto = (folder: string, { copies }: Stage, stages: ReadonlyMap<string, [string, string]>): void => {
  for (const { from, sources, target } of copies) {
    for (const source of sources) {
      if (from !== undefined) {
        const [workdir = '', made = ''] = stages.get(from) ?? [];
        cpSync(join(made, posix.relative(workdir, source)), join(folder, target), {
          recursive: true,
          dereference: true,
        });
        continue;
      }
      const isFolder = statSync(join(ROOT, source)).isDirectory();
      const place = placeOf(source, target, isFolder);
      const files = checkedIn(source);
      if (files.length === 0) throw new Error(`Dockerfile: no checkout has ${source}`);
      for (const file of files) {
        const to = join(folder, place, isFolder ? posix.relative(source, file) : '');
        mkdirSync(dirname(to), { recursive: true });
        copyFileSync(join(ROOT, file), to);
      }
    }
  }
};
