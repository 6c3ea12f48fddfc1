import { isLongerThan } from '../wire/codec.ts';
import { LIMITS } from '../wire/limits.ts';

/** The fault of a value, and its place as a JSON pointer. */
export type Fault = { pointer: string; detail: string };
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The pointer of a member; names are cut, because callers choose them. */
export const below = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).slice(0, 64).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** A copy with sorted keys, so that the same value is the same JSON. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  // fromEntries defines `__proto__` as a plain key, an assignment would not.
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
};

/** The JSON of a value, whatever the order of its keys. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value));

const textFault = (text: string): string | undefined =>
  text.isWellFormed() && !text.includes('\0') ? undefined : 'must be valid text without NUL';

/** `left`: how many values there still may be. `refused`: names that no field may have. */
type Room = { left: number; readonly refused: ReadonlySet<string> };

const REFUSED_NAMES: ReadonlySet<string> = new Set(['__proto__']);

/** The first value that no command can carry. */
const valueFault = (value: unknown, at: string, room: Room, depth: number): Fault | undefined => {
  const fault = (detail: string): Fault => ({ pointer: at, detail });
  room.left -= 1;
  if (room.left < 0) return fault(`parameters have at most ${LIMITS.customValues} values`);
  if (depth > LIMITS.customNesting) return fault(`parameters are nested at most ${LIMITS.customNesting} deep`);
  const problem = typeof value === 'string' ? textFault(value) : undefined;
  if (problem !== undefined) return fault(problem);
  if (typeof value === 'number' && !Number.isFinite(value)) return fault('must be a number that JSON has');
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const pointer = below(at, name);
    if (room.refused.has(name) || textFault(name) !== undefined)
      return { pointer, detail: 'this field does not exist here' };
    const found = valueFault(inner, pointer, room, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * Reads a JSON value as the parameters of a custom command: one object within the bounds, its keys sorted. `refused`:
 * names that no field may have, however deep.
 */
export const readParams = (given: unknown, refused = REFUSED_NAMES): { params: Fields } | { fault: Fault } => {
  if (!isFields(given)) return { fault: { pointer: '/', detail: 'must be an object' } };
  const fault = valueFault(given, '', { left: LIMITS.customValues, refused }, 1);
  if (fault !== undefined) return { fault };
  const json = canonicalJson(given);
  const detail = `parameters have at most ${LIMITS.customDataBytes} bytes`;
  return isLongerThan(json, LIMITS.customDataBytes)
    ? { fault: { pointer: '/', detail } }
    : { params: JSON.parse(json) };
};
