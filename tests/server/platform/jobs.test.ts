import { expect, it } from 'vitest';
import { Jobs } from '../../../server/platform/jobs.ts';

const failing = { run: () => expect.fail('Nothing is started here.') };

/** Work that ends when it is told to. */
const gates = () => {
  const begun: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const work = (key: string): Promise<void> =>
    new Promise((resolve, reject) => {
      begun.push(key);
      ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  return { begun, ends, work };
};

it('works on a key once at a time, and once more for all calls that came meanwhile', async () => {
  const { begun, ends, work } = gates();
  const jobs = new Jobs('work', failing, work);
  const all = Promise.all([jobs.run('a'), jobs.run('a'), jobs.run('b'), jobs.run('a')]);
  expect(begun).toEqual(['a', 'b']);
  ends[0]?.();
  await expect.poll(() => begun).toEqual(['a', 'b', 'a']);
  ends[1]?.();
  ends[2]?.();
  await all;
  expect(begun).toEqual(['a', 'b', 'a']);
});

it('works again after a failure, which each caller hears of', async () => {
  const { begun, ends, work } = gates();
  const jobs = new Jobs('work', failing, work);
  const both = Promise.allSettled([jobs.run('a'), jobs.run('a')]);
  ends[0]?.(new Error('no disk'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const later = jobs.run('a');
  ends[1]?.();
  await later;
  expect(begun).toEqual(['a', 'a']);
});
