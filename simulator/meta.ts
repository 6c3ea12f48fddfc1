import type { Store } from './store.ts';

type Facts = {
  journal_id: string;
  journal_sequence: number;
  seed: number;
  /** Steps of life so far. */
  step: number;
};

/** The few facts that a world stores about itself. Reading a fact that was never set throws. */
export const createMeta = (db: Store) => {
  const select = db.prepare<[string], { value: string | number }>('SELECT value FROM meta WHERE key = ?');
  const upsert = db.prepare<[string, string | number]>(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const read = (key: keyof Facts): string | number => {
    const row = select.get(key);
    if (row === undefined) throw new Error(`The world does not know its ${key}.`);
    return row.value;
  };
  const number = (key: 'journal_sequence' | 'seed' | 'step'): number => Number(read(key));
  const set = <K extends keyof Facts>(key: K, value: Facts[K]): void => {
    upsert.run(key, value);
  };

  const anything = db.prepare('SELECT 1 FROM meta');

  return {
    isEmpty: (): boolean => anything.get() === undefined,
    number,
    text: (key: 'journal_id'): string => String(read(key)),
    set,
    /** Adds one and returns the new value. */
    advance: (key: 'journal_sequence' | 'step'): number => {
      const next = number(key) + 1;
      set(key, next);
      return next;
    },
  };
};
export type Meta = ReturnType<typeof createMeta>;
