/** `want`: how many requests to let in; the answer is how many may be. */
export type GrantRequest = { projectId: string; limit: number; want: number };
export type Grant = {
  granted: number;
  /** How many more there would be. */
  free: number;
  /** The granted requests must be used within this time. */
  validMs: number;
  /** When the oldest of those counted leave the window. */
  resetMs: number;
};
