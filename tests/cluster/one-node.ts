import { beforeEach } from 'vitest';
import { ONE_NODE } from './one-node-tests.ts';

/** Skips tests that only a single node can pass, and prints the reason. */
beforeEach(({ task, skip }) => {
  const listed = ONE_NODE.find(({ file, name }) => task.file.name.endsWith(`/${file}`) && task.name.startsWith(name));
  if (listed !== undefined) skip(listed.why);
});
