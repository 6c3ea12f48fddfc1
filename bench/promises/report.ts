import { cpus, loadavg } from 'node:os';

/** One line of the table. `isKept` is undefined for a value that is reported but not promised. */
export type Line = { what: string; bound: string; measured: string; isKept: boolean | undefined };
/** Measures one promise; `isFull` selects the long form if there is a shorter one. */
export type Measure = (options: { isFull: boolean }) => Promise<Line[]>;

/** The value that this share of the samples does not exceed; infinite without samples. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.POSITIVE_INFINITY;
};

export const inMs = (value: number): string => `${value.toFixed(value < 100 ? 2 : 0)} ms`;

/** Median, p99, maximum and count. */
export const spread = (samples: readonly number[]): string =>
  `median ${inMs(percentile(samples, 0.5))}, p99 ${inMs(percentile(samples, 0.99))}, ` +
  `max ${inMs(percentile(samples, 1))}, n = ${samples.length}`;

/** A line about times: this share of them (1: all) must stay within a bound. */
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

/** The properties of the machine that affect the figures. */
export const machine = (): string =>
  `node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} cores ` +
  `(${cpus()[0]?.model.trim() ?? 'unknown'}), load ${loadavg()[0]?.toFixed(1)}, ${new Date().toISOString()}`;
