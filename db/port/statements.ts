import type { Prepared, Reader } from './database.ts';
import type { PlaceholderValues } from './values.ts';

const MAX_STATEMENTS = 256;

/**
 * Statements of one kind whose shape depends on the request, each built once; `key` is unique in the program.
 * `isPlannedOnce`: the values do not change the best way to its rows.
 */
export const createStatements = <T>({ handle, prepare, read }: Reader, { isPlannedOnce = false } = {}) => {
  const known = new Map<string, Prepared<T>>();
  return {
    handle,
    run: (key: string, build: Parameters<typeof prepare<T>>[1], values: PlaceholderValues): Promise<T> => {
      let statement = known.get(key);
      if (statement === undefined) {
        if (known.size >= MAX_STATEMENTS) known.clear();
        statement = isPlannedOnce ? prepare(key, build) : prepare(key, build, 'anew');
        known.set(key, statement);
      }
      const prepared = statement;
      return read(() => prepared(values));
    },
  };
};
