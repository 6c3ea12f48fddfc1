/** Whether to skip tests that need a tool or rights which this machine does not have. In CI they run, and fail. */
export const skipUnless = (isPossible: boolean): boolean => !isPossible && process.env['CI'] !== 'true';
