/** A stored number for a field; empty: none. */
export const numberText = (value: number | null): string => (value === null ? '' : String(value));

/** The settings of a form whose fields differ from the stored ones. */
export const changedIn = <S extends object>(
  before: Readonly<Record<keyof S, unknown>>,
  draft: Readonly<Record<keyof S, unknown>>,
  settings: S,
): Partial<S> => {
  const names = (Object.keys(settings) as (keyof S)[]).filter((name) => before[name] !== draft[name]);
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as Partial<S>;
};
