/** Measured values by name. */
export type Figures = Record<string, number>;
export type Result = {
  ours: Figures;
  peers: Record<string, Figures>;
  /** The ratio of our value to each peer's: rates above 1 are faster, times and sizes below 1 are better. */
  ratios: Record<string, number>;
};
export type Circumstances = {
  isQuick: boolean;
  isPinned: boolean;
  fsyncUs: number;
};
/** One measurement of the benchmark, for the hub and for each competitor. */
export type Scenario = {
  name: string;
  /** One sentence: what is measured. */
  about: string;
  isQuick: boolean;
  run: (circumstances: Circumstances) => Promise<Result>;
};
