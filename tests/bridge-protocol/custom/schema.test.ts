import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS, paramsFault, readParams, readSchema } from '../../../bridge-protocol/index.ts';

// Without ownProperties it finds "constructor" in every object.
const ajv = new Ajv2020({ strict: false, ownProperties: true });
const NAMES = ['a', 'b', 'constructor', 'a/b~c'];
const scalar = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'abc1', 'é', '\u{1f9ff}', 'bank'),
  fc.constantFrom(-2, -1, 0, 1, 2, 3, 1.5, 10),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const small = fc.nat({ max: 3 });
const type = fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null');
/** Schemas whose inner ones are of the given kind. */
const schemaOf = (part: fc.Arbitrary<object>): fc.Arbitrary<object> => {
  const parts = fc.array(part, { minLength: 1, maxLength: 2 });
  return fc.record(
    {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.array(value, { minLength: 1, maxLength: 3 }),
      const: value,
      properties: fc.dictionary(fc.constantFrom(...NAMES), part, { maxKeys: 2, noNullPrototype: true }),
      required: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), part),
      minProperties: small,
      maxProperties: small,
      items: part,
      minItems: small,
      maxItems: small,
      minLength: small,
      maxLength: small,
      minimum: small,
      maximum: small,
      exclusiveMinimum: small,
      exclusiveMaximum: small,
      multipleOf: fc.constantFrom(1, 2, 0.5),
      anyOf: parts,
      oneOf: parts,
      allOf: parts,
      not: part,
    },
    { requiredKeys: [], noNullPrototype: true },
  );
};
const few = (arbitrary: fc.Arbitrary<object>, keys: number) =>
  fc.tuple(arbitrary, fc.array(fc.nat(), { minLength: keys, maxLength: keys })).map(([schema, picks]) => {
    const names = Object.keys(schema);
    const kept = picks.map((pick) => names[pick % Math.max(1, names.length)] ?? '');
    return Object.fromEntries(Object.entries(schema).filter(([name]) => kept.includes(name)));
  });
const leaf = few(schemaOf(fc.constant({})), 2);
const schema = few(schemaOf(few(schemaOf(leaf), 2)), 3);
const fields = fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 4, noNullPrototype: true });

describe('the schema of a custom command', () => {
  it('judges parameters as JSON Schema does', () => {
    let taken = 0;
    let refused = 0;
    const agree = fc.property(schema, fields, (given, params) => {
      const read = readSchema({ ...given, type: 'object' });
      if ('problem' in read) throw new Error(`${read.problem}: ${JSON.stringify(given)}`);
      const fault = paramsFault(read.schema, params);
      if (fault === undefined) taken += 1;
      else refused += 1;
      expect(fault === undefined).toBe(ajv.compile({ ...given, type: 'object' })(params));
    });
    fc.assert(agree, { numRuns: 250 });
    expect(Math.min(taken, refused)).toBeGreaterThan(20);
  });

  it.each([
    [{ type: 'string' }, '/type: parameters are an object'],
    [{ $ref: 'https://evil.example/schema.json' }, '/: $ref cannot be used here'],
    [{ properties: { a: { $ref: '#' } } }, '/properties/a: $ref cannot be used here'],
    [{ $defs: { a: {} } }, '/: $defs cannot be used here'],
    [{ properties: { a: { format: 'uri' } } }, '/properties/a: format cannot be used here'],
    [{ properties: { a: { pattern: '^a$' } } }, '/properties/a: pattern cannot be used here'],
    [{ anyOf: [{ items: { pattern: '(a+)+$' } }] }, '/anyOf/0/items: pattern cannot be used here'],
    [{ additionalProperties: { pattern: '^a$' } }, '/additionalProperties: pattern cannot be used here'],
    [{ patternProperties: { '(a+)+$': {} } }, '/: patternProperties cannot be used here'],
    [{ properties: { a: { type: 'strin' } } }, '/properties/a/type'],
    [{ required: 'a' }, '/required'],
    [{ properties: { a: 5 } }, '/properties/a'],
    [{ enum: [] }, '/enum'],
    [{ properties: { a: { enum: 'x'.repeat(LIMITS.customSchemaBytes) } } }, 'over 4096 bytes of JSON'],
    ['text', '/: '],
    [undefined, '/: '],
    [[1], '/: '],
  ])('is refused where it cannot be used: %#', (given, problem) => {
    expect(readSchema(given)).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  it('is refused when it is nested too deep', () => {
    let deep: object = {};
    for (let depth = 0; depth < 40; depth += 1) deep = { not: deep };
    expect(readSchema(deep)).toEqual({ problem: 'nested over 32 deep' });
  });

  it('may come from Lua, where every empty table is a list', () => {
    const read = readSchema({ properties: [], required: [], additionalProperties: [] });
    expect(read).toEqual({ schema: { type: 'object', properties: {}, required: [], additionalProperties: {} } });
    expect(readSchema([])).toEqual({ schema: { type: 'object' } });
  });

  it('judges the worst parameters against the worst schema within a blink', () => {
    const worst: [object, unknown][] = [
      [{ items: { anyOf: Array.from({ length: 250 }, () => ({ const: 2 })) } }, Array(900).fill(1)],
      [
        { enum: Array.from({ length: 900 }, (_, n) => n) },
        Object.fromEntries(Array.from({ length: 900 }, (_, n) => [n, 1])),
      ],
    ];
    for (const [inner, given] of worst) {
      const read = readSchema({ properties: { a: inner } });
      if ('problem' in read) throw new Error(read.problem);
      const params = readParams({ a: given });
      if ('fault' in params) throw new Error(params.fault.detail);
      const before = process.cpuUsage();
      expect(paramsFault(read.schema, params.params)).toMatchObject({ pointer: expect.stringMatching(/^\/a?/) });
      const { user, system } = process.cpuUsage(before);
      // Of the processor, in microseconds: other work on the machine does not count.
      expect(user + system).toBeLessThan(1_000_000);
    }
  });
});

describe('the parameters of a custom command', () => {
  const deep = (depth: number): object => (depth === 0 ? {} : { a: deep(depth - 1) });
  it.each([
    [[], '/'],
    [null, '/'],
    ['text', '/'],
    [{ a: 'x\0' }, '/a'],
    [{ a: ['\ud800'] }, '/a/0'],
    [{ 'a\0': 1 }, '/a\0'],
    [JSON.parse('{"__proto__":{"x":1}}'), '/__proto__'],
    [JSON.parse('{"a":{"b":1e999}}'), '/a/b'],
    [{ a: Array(1_001).fill(1) }, '/a/998'],
    [{ a: 'x'.repeat(17_000) }, '/'],
    [deep(33), `${'/a'.repeat(32)}`],
  ])('are refused where no command can carry them: %#', (given, pointer) => {
    expect(readParams(given)).toMatchObject({ fault: { pointer } });
  });

  it('are the same whatever the order of their keys', () => {
    const one = readParams({ b: [{ d: 1, c: 2 }], a: 'é' });
    expect(JSON.stringify(one)).toBe(JSON.stringify(readParams({ a: 'é', b: [{ c: 2, d: 1 }] })));
    expect(one).toEqual({ params: { a: 'é', b: [{ c: 2, d: 1 }] } });
  });
});
