/** Measured values by name. */
export type Figures = Record<string, number>;
export type Result = {
  ours: Figures;
  peers: Record<string, Figures>;
  /** Ours to each peer: of rates more than 1 is faster, of times and sizes less. */
  ratios: Record<string, number>;
};
export type Circumstances = { isQuick: boolean; isPinned: boolean; fsyncUs: number };
/** One thing that the benchmark measures, for the hub and for each competitor. */
export type Scenario = { name: string; isQuick: boolean; run: (circumstances: Circumstances) => Promise<Result> };
