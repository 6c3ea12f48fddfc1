import { expect, it } from 'vitest';
import { withoutPath } from '../../panel/src/parts/without-path.ts';

it.each([
  ['/when/cron: must have five parts', 'cron must have five parts'],
  ['/targets: has over 5 players', 'targets has over 5 players'],
  ['/task/targets/3: must be a text', 'targets 3 must be a text'],
  ['The body is not JSON: see /docs', 'The body is not JSON: see /docs'],
])('a refusal names a field in words: %s', (text, shown) => {
  expect(withoutPath(text)).toBe(shown);
});
