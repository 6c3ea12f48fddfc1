import { preparePanel } from '../../server/cli/panel.ts';

/** Before the tests, so that those that start a hub find the panel as it is now. */
export const setup = (): Promise<void> => preparePanel((message) => process.stderr.write(`${message}\n`));
