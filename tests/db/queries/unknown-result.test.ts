import { describe, expect, it } from 'vitest';
import { DatabaseError } from '../../../db/errors.ts';
import { untilKnown } from '../../../db/queries/commands/transitions.ts';

const isUnknown = new DatabaseError('unavailable', 'The connection broke.', { isUnknown: true });
const refused = new DatabaseError('failed', 'Client has encountered a connection error and is not queryable');

/** Fails with these, one after the other, then says that it is there. */
const failing = (...errors: Error[]) => {
  const left = [...errors];
  return async (): Promise<string> => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return 'there';
  };
};

describe('a statement that may or may not have been executed', () => {
  it.each([
    ['a database that is not there', new DatabaseError('unavailable', 'It does not listen.')],
    ['a refusal', refused],
    ['a defect', new Error('a defect')],
  ])('stays unknown through %s, and is known in the end', async (_name, error) => {
    expect(await untilKnown(isUnknown, failing(error))).toBe('there');
  });

  it('rejects as unknown if the retries fail, too', async () => {
    await expect(untilKnown(isUnknown, failing(...Array<Error>(9).fill(refused)))).rejects.toBe(isUnknown);
  });

  it('is none where nothing can have happened', async () => {
    await expect(untilKnown(refused, failing())).rejects.toBe(refused);
  });
});
