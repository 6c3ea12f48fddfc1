/** The format between two runtimes: JSON in ASCII. */
export type Wire = string;

type Reference = (id: string) => unknown;
type Register = (fn: (...args: unknown[]) => unknown) => string;

const ascii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const idOf = (value: unknown): string | undefined => {
  if (typeof value !== 'function' || !('__cfx_functionReference' in value)) return undefined;
  return String(value.__cfx_functionReference);
};

/** Whole numbers beyond 32 bits are floats for msgpack.js. */
const isFloat = (value: number): boolean => Number.isInteger(value) && (value | 0) !== value;

/** A copy of JavaScript's values as text. `register` gives a function a name under which the other side may call it. */
export const toWire = (values: readonly unknown[], register: Register): Wire =>
  ascii(
    JSON.stringify(values, (_key, value: unknown) => {
      if (typeof value === 'function') {
        const id = idOf(value) ?? register(value as (...args: unknown[]) => unknown);
        return { __cfx_functionReference: id };
      }
      if (typeof value === 'number' && !Number.isFinite(value)) return { __number: String(value) };
      if (typeof value === 'number' && isFloat(value)) return { __float: String(value) };
      return value;
    }),
  );

/** The result of a native, which knows whole numbers of 64 bits. */
export const nativeWire = (values: readonly unknown[]): Wire => ascii(JSON.stringify(values));

/** The values of a wire. `reference` makes a function of the name of one. */
export const fromWire = (wire: Wire, reference: Reference): unknown[] =>
  JSON.parse(wire, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('__cfx_functionReference' in value) return reference(String(value.__cfx_functionReference));
    if ('__number' in value) return Number(value.__number);
    if ('__float' in value) return Number(value.__float);
    // Lua's texts are bytes: msgpack.js reads invalid UTF-8 as Latin-1.
    if ('__bytes' in value) return Buffer.from(String(value.__bytes), 'hex').toString('latin1');
    return value;
  }) as unknown[];
