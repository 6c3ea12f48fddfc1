import type { Schemas } from '../api.ts';

/** The commands that a package can stand for. */
export const COMMANDS = ['money', 'items', 'vehicles', 'job', 'custom'] as const;
export type MappedName = (typeof COMMANDS)[number];

/** A command of a package, as it is typed. */
export type Row = { key: number; package: string; name: MappedName; what: string; amount: string };

/** The command that stands for a typed row; undefined: something is missing. */
type Mapped = Schemas['Integration']['packages'][string][number];

const wholeNumber = (text: string, least: number): number | undefined => {
  const value = Number(text.trim());
  return text.trim() !== '' && Number.isSafeInteger(value) && value >= least ? value : undefined;
};

/** The parameters of a custom command: one JSON object, or nothing. */
const readJson = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};

const mappedOf = ({ name, what, amount }: Row): Mapped | undefined => {
  const thing = what.trim();
  if (thing === '') return undefined;
  if (name === 'custom') {
    const params = readJson(amount);
    return params === undefined ? undefined : { name: `custom:${thing}`, params };
  }
  if (name === 'vehicles') return { name, params: { action: 'give', model: thing } };
  const count = wholeNumber(amount, name === 'job' ? 0 : 1);
  if (count === undefined) return undefined;
  if (name === 'job') return { name, params: { job: thing, grade: count } };
  if (name === 'items') return { name, params: { item: thing, count, action: 'add' } };
  return { name, params: { type: thing, amount: count, action: 'add' } };
};

/** The mapping of all rows; undefined: a row is not complete. */
export const mappingOf = (rows: readonly Row[]): Record<string, Mapped[]> | undefined => {
  const packages: Record<string, Mapped[]> = {};
  for (const row of rows) {
    const id = row.package.trim();
    const mapped = mappedOf(row);
    if (id === '' || mapped === undefined) return undefined;
    packages[id] = [...(packages[id] ?? []), mapped];
  }
  return packages;
};

/** A new row, for the package of the last one. */
export const nextRow = (rows: readonly Row[]): Row => ({
  key: Math.max(0, ...rows.map(({ key }) => key)) + 1,
  package: rows.at(-1)?.package ?? '',
  name: 'money',
  what: '',
  amount: '',
});
