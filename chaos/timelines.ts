import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Episode } from './episode.ts';

/** All records of a failed run and of the run before it, which may be the cause. */
export const timelineOf = (failed: Episode, before: Episode | undefined, repeat: string): string[] => [
  `run ${failed.seed} FAILED; repeat it with: ${repeat}`,
  ...failed.problems.map((problem) => `  ${problem}`),
  ...failed.timeline.map((line) => `  ${line}`),
  ...(before === undefined
    ? []
    : [`  run ${before.seed} was before it`, ...before.timeline.map((line) => `  ${line}`)]),
];

/** Keeps the timeline of a failed run in a file of its own, which no later run overwrites; returns its path. */
export const keepTimeline = (folder: string, seed: number, lines: readonly string[]): string => {
  mkdirSync(folder, { recursive: true });
  const path = resolve(join(folder, `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-seed-${seed}.txt`));
  writeFileSync(path, `${lines.join('\n')}\n`, { flag: 'wx' });
  return path;
};
