import { isNestedDeeperThan, LIMITS } from '../../bridge-protocol/index.ts';
import { HubError } from './errors.ts';

const DIGITS = Symbol('digits of a large number');

/** A number of a JSON text that is another whole number when it is read. */
export type LargeNumber = { readonly [DIGITS]: string };

export const isLargeNumber = (value: unknown): value is LargeNumber =>
  typeof value === 'object' && value !== null && DIGITS in value;

/** The number as it was sent. */
export const digitsOf = (number: LargeNumber): string => number[DIGITS];

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const parseWithSource = JSON.parse as (json: string, reviver: Reviver) => unknown;

/** A part of a whole, which a whole number has lost. */
const FRACTION = /\.\d*[1-9]\d*$|e-/i;

const isRounded = (value: unknown, source = ''): boolean =>
  typeof value === 'number' &&
  (Math.abs(value) > Number.MAX_SAFE_INTEGER || (Number.isInteger(value) && FRACTION.test(source)));

/** Code that walks a value calls itself for each level. @throws HubError invalid_request: nested too deep */
export const assertShallow = (json: string): void => {
  if (!isNestedDeeperThan(json, LIMITS.nesting)) return;
  throw new HubError('invalid_request', `A body is nested at most ${LIMITS.nesting} deep.`);
};

/** Parses a JSON text; each number that would be rounded to another one is a {@link LargeNumber}. @throws SyntaxError */
export const parseExact = (json: string): unknown =>
  parseWithSource(json, (_key, value, { source }) =>
    isRounded(value, source) ? { [DIGITS]: source ?? `${value}` } : value,
  );
