import { beforeEach } from 'vitest';
import { ONE_NODE } from './one-node-tests.ts';

/** Leaves out what one node only can pass, and says why. */
beforeEach(({ task, skip }) => {
  const listed = ONE_NODE.find(({ file, name }) => task.file.name.endsWith(`/${file}`) && task.name.startsWith(name));
  if (listed !== undefined) skip(listed.why);
});
