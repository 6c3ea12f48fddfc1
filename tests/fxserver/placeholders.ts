import type { Values } from './engine.ts';

const isNumbered = (name: string): boolean => /^\d+$/.test(name);

/** A value for each `?`: missing values are NULL, and too many are an error, as in oxmysql. */
const inOrder = (sql: string, given: readonly unknown[]): unknown[] => {
  const count = sql.match(/\?(?!\?)/g)?.length ?? 0;
  if (given.length > count && count > 0) throw new Error(`Expected ${count} parameters, but received ${given.length}.`);
  return Array.from({ length: count }, (_, nth) => given[nth] ?? null);
};

/** `?` in their order, from a list or from `{ [1]: … }`; `@name` and `:name` by name, with or without its sign. */
export const placed = (sql: string, parameters: Values): { sql: string; values: unknown[] } => {
  if (Array.isArray(parameters)) return { sql, values: inOrder(sql, parameters) };
  const entries = Object.entries(parameters ?? {});
  if (entries.every(([name]) => isNumbered(name))) {
    const places: unknown[] = [];
    for (const [name, value] of entries) places[Number(name) - 1] = value;
    return { sql, values: inOrder(sql, places) };
  }
  const named = new Map(entries.map(([name, value]) => [name.replace(/^[@:]/, ''), value]));
  const values: unknown[] = [];
  const text = sql.replace(/[@:](\w+)/g, (whole, name: string) => {
    if (!named.has(name)) return whole;
    values.push(named.get(name));
    return '?';
  });
  return { sql: text, values };
};
