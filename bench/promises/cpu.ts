import { readFile } from 'node:fs/promises';

/** CPU seconds, by who took them. */
export type Cpu = Record<string, number>;

const TICKS_PER_SECOND = 100;

/** User and system time of a process, seconds: its own, and that of its children that have ended. Linux only. */
const timesOf = async (pid: number | undefined): Promise<{ own: number; ended: number }> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') ');
  // Behind the name, which may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const sum = (from: number): number =>
    fields.slice(from, from + 2).reduce((ticks, each) => ticks + Number(each), 0) / TICKS_PER_SECOND;
  return { own: sum(11), ended: sum(13) };
};

/** What this process has had of the processors, without those that it started. */
export const ownCpu = async (): Promise<number> => (await timesOf(process.pid)).own;

/** What those have had that this process started, and that have ended. */
export const endedCpu = async (): Promise<number> => (await timesOf(process.pid)).ended;

/** What a process has had, with all that it started. */
export const cpuOf = async (pid: number | undefined): Promise<number> => {
  const { own, ended } = await timesOf(pid);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const theirs = await Promise.all(children.trim().split(' ').filter(Boolean).map(Number).map(cpuOf));
  return theirs.reduce((sum, each) => sum + each, own + ended);
};
