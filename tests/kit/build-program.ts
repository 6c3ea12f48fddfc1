import type { TestProject } from 'vitest/node';
import { bundled } from './bundled.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The command line in few files. */
    program: string;
  }
}

/**
 * Bundles the command line before the tests: to load the program in its three hundred modules takes half a second of
 * every process, and tests start a hundred. `tests/server/cli/start.long.test.ts` and others start it as a checkout does.
 */
export const setup = async ({ provide }: TestProject): Promise<void> => {
  provide('program', await bundled());
};
