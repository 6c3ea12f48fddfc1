import { preparePanel } from '../../server/cli/panel.ts';

/** Runs before the tests, so that hubs serve the current panel. */
export const setup = (): Promise<void> => preparePanel((message) => process.stderr.write(`${message}\n`));
