const UNSTORABLE = /\0|\p{Surrogate}/u;
const UNSTORABLE_ALL = /\0|\p{Surrogate}/gu;
const COMBINING_DOT = 'i\u0307';

/** Text both engines can keep: NUL and lone surrogates become U+FFFD. */
export const storable = (text: string): string =>
  UNSTORABLE.test(text) ? text.replace(UNSTORABLE_ALL, '\uFFFD') : text;

/** JSON both engines can keep, keys included. */
export const storableJson = (value: unknown): string => {
  const json = JSON.stringify(value);
  if (!json.includes('\\u0000') && !json.includes('\\ud')) return json;
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'string') return storable(inner);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, entry]) => [storable(key), entry]));
  });
};

/** Values of placeholders both engines can take: those that are only compared pass no column's encoder. */
export const storableValues = (values: Record<string, unknown>): Record<string, unknown> => {
  const isBroken = (value: unknown): value is string => typeof value === 'string' && UNSTORABLE.test(value);
  if (!Object.values(values).some(isBroken)) return values;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isBroken(value) ? storable(value) : value]),
  );
};

/**
 * Text as it is compared in a search: composed, lower case, the same on both engines. The final sigma is a sigma, and
 * a Turkish I with or without its dot is an i: lower case alone keeps them apart.
 */
export const fold = (text: string): string =>
  storable(text)
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll('ı', 'i')
    .replaceAll(COMBINING_DOT, 'i')
    .normalize('NFC');

/** What a search looks at: name and identifier, apart by a line feed that no search can contain. */
export const searchText = (name: string, identifier: string): string =>
  `${fold(name).replaceAll('\n', ' ')}\n${fold(identifier)}`;
