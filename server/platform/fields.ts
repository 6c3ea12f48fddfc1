import * as z from 'zod';
import { IDENTIFIER_PATTERN, isNestedDeeperThan, LIMITS } from '../../bridge-protocol/index.ts';
import { ERRORS, HubError } from './errors.ts';

const isValid = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const INVALID = 'must be valid text without NUL';

/** Text that people write: no NUL, no lone surrogate, counted in characters. */
export const plainText = (max: number) =>
  z
    .string()
    .min(1)
    .refine((text) => text.length <= max * 2 && [...text].length <= max, `must have at most ${max} characters`)
    .refine(isValid, INVALID)
    .meta({ maxLength: max });

/** Text that goes to a bridge as it is, counted as the protocol does: in UTF-16 code units. */
export const wireText = (max: number) =>
  z
    .string()
    .min(1)
    .refine((text) => text.length <= max, `must have at most ${max} characters, where an emoji counts as two`)
    .refine(isValid, INVALID)
    .meta({ maxLength: max });

/** Ids of servers and projects, for paths, logs and configuration files. */
export const SLUG_PATTERN = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** The project has no such game server. What cannot be an id is not repeated: it may be anything. */
export const serverNotFound = (serverId: string): HubError =>
  new HubError(
    'server_not_found',
    SLUG_PATTERN.test(serverId)
      ? `Your project has no game server "${serverId}". ${ERRORS.server_not_found.remedy}`
      : `No game server has such an id: it has up to 63 of a-z 0-9 _ -. ${ERRORS.server_not_found.remedy}`,
  );

/** The identifier of a player. */
export const identifierText = z
  .string()
  .regex(IDENTIFIER_PATTERN, 'must be 1 to 128 of A-Z a-z 0-9 : _ . @ -')
  .meta({ example: 'char1:5f3a9c' });

/** A list of players, none of them twice. */
export const identifiersOnce = (most: number) =>
  z
    .array(identifierText)
    .min(1)
    .max(most)
    .superRefine((all, { addIssue }) => {
      const seen = new Set<string>();
      for (const [nth, one] of all.entries()) {
        if (seen.has(one)) {
          addIssue({
            code: 'custom',
            path: [nth],
            message: `is in the list already, at ${all.indexOf(one)}: send each player once`,
          });
          return;
        }
        seen.add(one);
      }
    })
    .meta({ uniqueItems: true });

/** The fields that have a value: those that a caller has sent. */
export const sentFields = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** A fault of a value, as zod knows it. */
type Fault = Parameters<NonNullable<Parameters<typeof z.config>[0]>['customError'] & object>[0];

/** Begins each text about a field that was not sent. */
const MISSING = 'is missing: it must be';

const TYPES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The texts about a value that has none of several forms. */
const NO_FORM = 'is not valid';
const NO_VALUE = 'is missing';

/** The name of a type of JSON for people. */
const nameOfType = (type: string): string => TYPES[type] ?? type;

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return nameOfType('array');
  return nameOfType(typeof value);
};

/** Values that are allowed, in words. */
const nameOfValues = (values: readonly unknown[]): string =>
  values.length === 1 ? JSON.stringify(values[0]) : `one of ${values.map(String).join(', ')}`;

const mustBe = (what: string, input: unknown): string =>
  input === undefined ? `${MISSING} ${what}` : `must be ${what}`;

const FORMATS: Record<string, string> = {
  datetime: 'a time in UTC such as 2026-12-24T18:00:00Z',
  url: 'an address such as https://hub.example.com',
};

const sizeWords = (bound: string, { origin }: { origin: string }): string => {
  if (origin === 'string') return `must have ${bound} ${bound.endsWith(' 1') ? 'character' : 'characters'}`;
  if (['array', 'set', 'map', 'object', 'record'].includes(origin)) {
    return `must have ${bound} ${bound.endsWith(' 1') ? 'entry' : 'entries'}`;
  }
  return `must be ${bound}`;
};

/** A fault in plain words: the bound that the value must keep, and so the remedy. The value is not repeated. */
const wordsOf = (fault: Fault): string => {
  const { input } = fault;
  switch (fault.code) {
    case 'invalid_type': {
      const what = mustBe(nameOfType(fault.expected), input);
      // A number with a fraction is a number, too.
      const isKind = input === undefined || fault.expected === 'int' || nameOfType(fault.expected) === typeOf(input);
      return isKind ? what : `${what}, not ${typeOf(input)}`;
    }
    case 'invalid_value':
      return mustBe(nameOfValues(fault.values), input);
    case 'too_small':
      if (fault.origin === 'string' && fault.minimum === 1) return 'must not be empty';
      return sizeWords(`${fault.inclusive === false ? 'more than' : 'at least'} ${fault.minimum}`, fault);
    case 'too_big':
      return sizeWords(`${fault.inclusive === false ? 'less than' : 'at most'} ${fault.maximum}`, fault);
    case 'invalid_format':
      return mustBe(FORMATS[fault.format] ?? `text of the form ${fault.pattern ?? fault.format}`, input);
    case 'not_multiple_of':
      return `must be a multiple of ${fault.divisor}`;
    case 'unrecognized_keys':
      return 'this field does not exist here';
    case 'invalid_key':
      return 'has a name that is not allowed';
    default:
      return input === undefined ? NO_VALUE : NO_FORM;
  }
};

/** Lets zod say faults in the hub's words, where a schema has no words of its own. */
export const useFaultWords = (): void => {
  z.config({ customError: wordsOf });
};

/** A fault as a validator of zod reports it. */
export type Issue = {
  code?: string;
  path: readonly PropertyKey[];
  message: string;
  keys?: readonly string[];
  /** The faults of a key in a record. */
  issues?: readonly { message: string }[];
  /** The faults of a value that may have several forms, as each of these forms. */
  errors?: readonly (readonly Issue[])[];
  expected?: string;
  values?: readonly unknown[];
};

/** A field, and what is wrong with it. */
type FieldFault = { path: readonly PropertyKey[]; detail: string };

const MAX_ISSUES = 20;
const MAX_KEYS = 10;
/** A list of all scopes fits. */
const LONGEST = 500;
/** The value is not even of the kind that this form has. */
const OTHER_KIND = 100;

const isOfOtherKind = ({ code, path }: Issue): boolean =>
  path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
const isMissing = ({ message }: Issue): boolean => message.startsWith(MISSING);

const distance = (form: readonly Issue[]): number =>
  form.reduce((total, issue) => total + (isOfOtherKind(issue) ? OTHER_KIND : (issue.keys?.length ?? 1)), 0);

const kindOf = ({ expected, values = [] }: Issue): string =>
  expected === undefined ? nameOfValues(values) : nameOfType(expected);

/** `{at} or {cron}`: the fields that each form lacks. */
const fieldsOf = (form: readonly Issue[]): string =>
  `{${form.map(({ path }) => path.map(String).join('/')).join(', ')}}`;

const orList = (parts: readonly string[]): string => [...new Set(parts)].join(' or ');

/** The faults of a value that may have several forms, as the form to which it is nearest. */
const faultsOfForms = ({ path, message }: Issue, forms: readonly (readonly Issue[])[]): FieldFault[] => {
  const least = Math.min(...forms.map(distance));
  const nearest = forms.filter((form) => distance(form) === least);
  if (least >= OTHER_KIND) {
    const kinds = orList(forms.flatMap((form) => form.slice(0, 1).map(kindOf)));
    return [{ path, detail: `${message === NO_VALUE ? MISSING : 'must be'} ${kinds}` }];
  }
  if (nearest.length > 1 && forms.every((form) => form.every(isMissing))) {
    return [{ path, detail: `must be ${orList(forms.map(fieldsOf))}` }];
  }
  return faultsOf((nearest[0] ?? []).map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
};

/** The faults of a request, each at its field. */
export const faultsOf = (issues: readonly Issue[]): FieldFault[] =>
  issues.slice(0, MAX_ISSUES).flatMap((issue) => {
    const { code, path, message, keys = [], errors = [], issues: inner = [] } = issue;
    if (code === 'unrecognized_keys') {
      return keys.slice(0, MAX_KEYS).map((key) => ({ path: [...path, key], detail: 'this field does not exist here' }));
    }
    // A schema may have words of its own for all forms.
    const isOfForms = code === 'invalid_union' && (message === NO_FORM || message === NO_VALUE);
    if (isOfForms && errors.length > 0) return faultsOfForms(issue, errors);
    const detail = code === 'invalid_key' ? (inner[0]?.message ?? message) : message;
    return [{ path, detail: detail.slice(0, LONGEST) }];
  });

const clip = (text: string): string => text.slice(0, 64).toWellFormed();

/** The address of a field in a request (RFC 6901). */
const pointerOf = (path: readonly PropertyKey[]): string =>
  `/${path.map((part) => clip(String(part)).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;

/** Validation errors of zod, one line for each field. */
export const invalidRequest = (issues: readonly Issue[]): HubError => {
  const errors = faultsOf(issues).map(({ path, detail: text }) => ({ pointer: pointerOf(path), detail: text }));
  const detail = errors.map(({ pointer, detail: text }) => `${pointer}: ${text}`).join('; ');
  return new HubError('invalid_request', detail.slice(0, 1000), { errors });
};

const DIGITS = Symbol('digits of a large number');

/** A number of a JSON text that is another whole number when it is read. */
export type LargeNumber = { readonly [DIGITS]: string };

export const isLargeNumber = (value: unknown): value is LargeNumber =>
  typeof value === 'object' && value !== null && DIGITS in value;

/** The number as it was sent. */
export const digitsOf = (number: LargeNumber): string => number[DIGITS];

const parseWithSource = JSON.parse as (
  json: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

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
