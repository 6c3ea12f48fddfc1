import { fold } from '../../bridge-protocol/fold.ts';
import type { Player } from '../../bridge-protocol/wire/player.ts';

const UNSTORABLE = /\0|\p{Surrogate}/u;
const UNSTORABLE_ALL = /\0|\p{Surrogate}/gu;
/** A run of hexadecimal digits that is a hash or a long number. */
const HASHES = /[0-9a-f]{16,}/g;

/** Makes text storable in both engines: NUL and lone surrogates become U+FFFD. */
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

/** Placeholder values that both engines accept. Values that are only compared pass no column's encoder. */
export const storableValues = (values: Record<string, unknown>): Record<string, unknown> => {
  const isBroken = (value: unknown): value is string => typeof value === 'string' && UNSTORABLE.test(value);
  if (!Object.values(values).some(isBroken)) return values;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isBroken(value) ? storable(value) : value]),
  );
};

const linesOf = (texts: readonly string[]): string => [...new Set(texts)].join('\n');

/** A number plate as it is written, and without its blanks. */
const platesOf = (plate: string): string[] => [plate, plate.replaceAll(' ', '')];

/** Sort key of lists: the name, a line feed (which no search can contain), the identifier. */
export const searchText = (name: string, identifier: string): string =>
  `${fold(storable(name))}\n${fold(storable(identifier))}`;

/**
 * Searched text beside names. `searchMarks`: own and linked identifiers without their hashes, for terms of up to three
 * characters. `searchPlates`: number plates, also without their blanks. One entry a line.
 */
export const searchFields = ({
  identifier,
  identifiers,
  vehicles,
}: Pick<Player, 'identifier' | 'identifiers'> & { vehicles: readonly Pick<Player['vehicles'][number], 'plate'>[] }): {
  searchMarks: string;
  searchPlates: string;
} => ({
  searchMarks: linesOf([identifier, ...identifiers].map((each) => fold(storable(each)).replace(HASHES, ''))),
  searchPlates: linesOf(vehicles.flatMap(({ plate }) => platesOf(fold(storable(plate))))),
});
