import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { temporaryFolder } from '../folders.ts';
import type { Turn } from '../load/turns.ts';

/** Interval of Linux's timer interrupts on the core, and the delay that counts as a stop. */
const EVERY_MS = 0.2;
const LATE_MS = 0.05;
/** The process ends by itself after this time, even if the bench has crashed. */
const MOST_SECONDS = 600;
const TEXT_BYTES = 1 << 28;

/** Permitted variation of the interrupts on an undisturbed core; if a quarter exceed it, the core ran irregularly. */
const EVEN_MS = 0.03;
const UNEVEN_SHARE = 1 / 4;
const NEAR_MS = 2;

/**
 * An interrupt of the core: its time on this process's clock, the interval since the last one, and the running thread.
 */
type Interrupt = { at: number; afterMs: number; thread: number };
/** A stop, from the due time of the interrupt to its arrival, on this process's clock; `thread` was running. */
export type Stop = { startTime: number; stoppedMs: number; thread: number };

/** @throws when the bench's processes have no core of their own, or `perf` is missing */
const assertPerf = (): number => {
  const [, core] = /^Cpus_allowed_list:\s+(\d+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  if (core === undefined) throw new Error('two cores and taskset are needed');
  try {
    execFileSync('perf', ['--version'], { stdio: 'ignore' });
  } catch {
    throw new Error('perf is missing; on Debian: apt-get install linux-perf');
  }
  return Number(core);
};

/** Converts from Linux's monotonic clock, in seconds, to the clock of this process. */
const clockOf = (): ((seconds: number) => number) => {
  const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  return (seconds) => seconds * 1_000 - offsetMs;
};

const interruptsOf = (text: string): Interrupt[] => {
  if (text.includes('LOST')) throw new Error('perf could not keep up');
  const toOwn = clockOf();
  const interrupts: Interrupt[] = [];
  for (const [, thread, seconds] of text.matchAll(/^ *(\d+) +(\d+\.\d+):/gm)) {
    const at = toOwn(Number(seconds));
    interrupts.push({ at, afterMs: at - (interrupts.at(-1)?.at ?? at - EVERY_MS), thread: Number(thread) });
  }
  if (interrupts.length === 0) throw new Error('perf saw nothing');
  return interrupts;
};

const stopsOf = (interrupts: readonly Interrupt[]): Stop[] =>
  interrupts
    .map(({ at, afterMs, thread }) => ({ startTime: at - afterMs + EVERY_MS, stoppedMs: afterMs - EVERY_MS, thread }))
    .filter(({ stoppedMs }) => stoppedMs > LATE_MS);

/** Whether the core ran irregularly during a turn, or shortly before or after it. */
const isUneven = (interrupts: readonly Interrupt[], { startTime, wallMs }: Turn): boolean => {
  const near = interrupts.filter(({ at }) => at > startTime - NEAR_MS && at < startTime + wallMs + NEAR_MS);
  const uneven = near.filter(({ afterMs }) => Math.abs(afterMs - EVERY_MS) > EVEN_MS);
  return uneven.length > near.length * UNEVEN_SHARE;
};

/**
 * Records the times at which this process's core did not run although Linux had work for it, because the host had
 * stopped the virtual machine. Linux's timer interrupts the core every 0.2 ms; a late interrupt shows a stop. Linux
 * counts such stops as CPU time of the thread.
 * @throws when `perf` is missing or not permitted
 */
export const watchStops = async () => {
  const core = assertPerf();
  const file = join(temporaryFolder(), 'perf.data');
  const perf = spawn(
    'taskset',
    [
      ...['-c', core === 0 ? '1' : '0', 'perf', 'record', '--quiet', '-e', 'cpu-clock', '-c', String(EVERY_MS * 1e6)],
      ...['-C', String(core), '-k', 'CLOCK_MONOTONIC', '-m', '8M', '-o', file, '-D', '-1', '--control', 'fd:3,4'],
      ...['sleep', String(MOST_SECONDS)],
    ],
    { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'] },
  );
  const exited = once(perf, 'exit');
  const end = (): boolean => perf.kill('SIGINT');
  process.once('exit', end);
  const [, , , control, acks] = perf.stdio;
  (control as Writable).write('enable\n');
  await Promise.race([
    once(acks as NodeJS.ReadableStream, 'data'),
    exited.then(() => Promise.reject(new Error('perf may not watch the core'))),
  ]);
  return {
    /**
     * Ends the recording. Returns the stops during one of the `threads`, and functions that judge the core in a turn.
     */
    stop: async (threads: readonly number[]): Promise<{ stops: Stop[]; isUneven: (turn: Turn) => boolean }> => {
      end();
      await exited;
      const script = ['script', '-i', file, '-F', 'tid,time', '--ns', '--show-lost-events'];
      const text = execFileSync('perf', script, {
        encoding: 'utf8',
        maxBuffer: TEXT_BYTES,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const interrupts = interruptsOf(text);
      return {
        stops: stopsOf(interrupts).filter(({ thread }) => threads.includes(thread)),
        isUneven: (turn) => isUneven(interrupts, turn),
      };
    },
  };
};

/** The CPU time of each turn, milliseconds, without the stops in it. */
export const withoutStops = (turns: readonly Turn[], stops: readonly Stop[]): number[] =>
  turns.map(({ startTime, wallMs, cpuMs }) => {
    const within = stops.map((stop) => {
      const end = Math.min(stop.startTime + stop.stoppedMs, startTime + wallMs);
      return Math.max(0, end - Math.max(stop.startTime, startTime));
    });
    return Math.max(0, cpuMs - within.reduce((sum, ms) => sum + ms, 0));
  });
