/** `want`: the wanted number of requests. The answer is the admitted number. */
export type GrantRequest = { projectId: string; limit: number; want: number };
export type Grant = {
  granted: number;
  /** How many more would be admitted. */
  free: number;
  /** The granted requests must be used within this time. */
  validMs: number;
  /** When the oldest counted requests leave the window. */
  resetMs: number;
};
