import * as z from 'zod';

/** A fault of a value, as zod knows it. */
type Fault = Parameters<NonNullable<Parameters<typeof z.config>[0]>['customError'] & object>[0];

/** Begins each text about a field that was not sent. */
export const MISSING = 'is missing: it must be';

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
export const NO_FORM = 'is not valid';
export const NO_VALUE = 'is missing';

/** The name of a type of JSON for people. */
export const nameOfType = (type: string): string => TYPES[type] ?? type;

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return nameOfType('array');
  return nameOfType(typeof value);
};

/** Values that are allowed, in words. */
export const nameOfValues = (values: readonly unknown[]): string =>
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
