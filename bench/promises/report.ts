import { cpus, loadavg } from 'node:os';

/** One line of the table. `isKept` is undefined where something is only told, not promised. */
export type Line = { what: string; bound: string; measured: string; isKept: boolean | undefined };
/** Measures one promise; `isFull` asks for the long form where there is a shorter one. */
export type Measure = (options: { isFull: boolean }) => Promise<Line[]>;

/** The value that a share of the samples does not exceed; infinite where there are none. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.POSITIVE_INFINITY;
};

export const inMs = (value: number): string => `${value.toFixed(value < 100 ? 2 : 0)} ms`;

/** Median, p99, maximum and count. */
export const spread = (samples: readonly number[]): string =>
  `median ${inMs(percentile(samples, 0.5))}, p99 ${inMs(percentile(samples, 0.99))}, ` +
  `max ${inMs(percentile(samples, 1))}, n = ${samples.length}`;

/** A line about times of which a share (1: all of them) must stay within a bound. */
export const lineOf = (
  what: string,
  samples: readonly number[],
  { share, ms }: { share: number; ms: number },
): Line => ({
  what,
  bound: `${share === 1 ? 'max' : `p${share * 100}`} <= ${inMs(ms)}`,
  measured: spread(samples),
  isKept: percentile(samples, share) <= ms,
});

export const textOf = (name: string, { what, bound, measured, isKept }: Line): string => {
  const verdict = isKept === undefined ? 'told  ' : isKept ? 'kept  ' : 'BROKEN';
  return `${verdict} ${name}: ${what} | ${bound} | ${measured}`;
};

/** Everything about the machine that a figure depends on. */
export const machine = (): string =>
  `node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} cores ` +
  `(${cpus()[0]?.model.trim() ?? 'unknown'}), load ${loadavg()[0]?.toFixed(1)}, ${new Date().toISOString()}`;
