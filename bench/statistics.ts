const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** The value below which this share (0 to 1) of the values lies; 0 for none. */
export const percentile = (values: readonly number[], share: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The spread of the middle half of the values, as a share of the median. */
export const spread = (values: readonly number[]): number =>
  values.length === 0 ? 0 : (percentile(values, 0.75) - percentile(values, 0.25)) / Math.max(median(values), 1e-9);

export const round = (value: number, digits = 0): number => Number(value.toFixed(digits));
