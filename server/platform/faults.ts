import { MISSING, NO_FORM, NO_VALUE, nameOfType, nameOfValues } from './fault-words.ts';

/** A fault as a validator of zod reports it. */
export type Issue = {
  code?: string;
  path: readonly PropertyKey[];
  message: string;
  keys?: readonly string[];
  /** Of a key in a record: what is wrong with it. */
  issues?: readonly { message: string }[];
  /** Of a value that may have several forms: what is wrong with it as each of them. */
  errors?: readonly (readonly Issue[])[];
  expected?: string;
  values?: readonly unknown[];
};

/** A field, and what is wrong with it. */
export type FieldFault = { path: readonly PropertyKey[]; detail: string };

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
