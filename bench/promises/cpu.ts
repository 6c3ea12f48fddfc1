import { readFile } from 'node:fs/promises';

/** CPU seconds by process. */
export type Cpu = Record<string, number>;

const TICKS_PER_SECOND = 100;

/** User and system time of a process, seconds: its own, and that of its children that have ended. Linux only. */
const timesOf = async (pid: number | undefined): Promise<{ own: number; ended: number }> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') ');
  // The fields after the process name; the name may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const sum = (from: number): number =>
    fields.slice(from, from + 2).reduce((ticks, each) => ticks + Number(each), 0) / TICKS_PER_SECOND;
  return { own: sum(11), ended: sum(13) };
};

/** CPU time of this process, without its child processes. */
export const ownCpu = async (): Promise<number> => (await timesOf(process.pid)).own;

/** CPU time of this process's ended child processes. */
export const endedCpu = async (): Promise<number> => (await timesOf(process.pid)).ended;

/** CPU time of a process and of all its child processes. */
export const cpuOf = async (pid: number | undefined): Promise<number> => {
  const { own, ended } = await timesOf(pid);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const theirs = await Promise.all(children.trim().split(' ').filter(Boolean).map(Number).map(cpuOf));
  return theirs.reduce((sum, each) => sum + each, own + ended);
};
