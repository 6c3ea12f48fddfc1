import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from './statistics.ts';

const FSYNCS = 200;

/** The time of one durable write of 4 KiB on the disk of the temporary folder, median, microseconds. */
const measureFsync = (): number => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-fsync-'));
  const file = openSync(join(folder, 'file'), 'w');
  const page = Buffer.alloc(4_096, 1);
  const times: number[] = [];
  for (let n = 0; n < FSYNCS; n += 1) {
    const start = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    times.push((performance.now() - start) * 1_000);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
  return Math.round(median(times));
};

const hasTaskset = (): boolean => {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Ratios are valid on any machine; absolute numbers only on this one. */
export const describeMachine = () => ({
  date: new Date().toISOString(),
  node: process.version,
  system: `${process.platform} ${release()} ${process.arch}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  fsyncUs: measureFsync(),
  /** The server under test has core 0 alone; callers and bridges have core 1. */
  pinned: cpus().length > 1 && hasTaskset(),
});
export type Machine = ReturnType<typeof describeMachine>;
