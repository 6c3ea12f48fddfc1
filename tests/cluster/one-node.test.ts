import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ONE_NODE } from './one-node-tests.ts';

it.each(ONE_NODE)('leaves out a test that there is: $file, $name', ({ file, name }) => {
  expect(readFileSync(join(import.meta.dirname, '..', file), 'utf8')).toContain(`'${name}`);
});
