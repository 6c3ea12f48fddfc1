import { describe, expect, it } from 'vitest';
import { fieldsOf, playerParamOf, readField } from '../../panel/src/fields.ts';

const command = (properties: Record<string, unknown>, required: string[] = []) => ({
  name: 'x',
  description: '',
  params: { type: 'object', properties, required },
});
const read = (schema: Record<string, unknown>, typed: string, required = true) => {
  const [field] = fieldsOf(command({ it: schema }, required ? ['it'] : []));
  if (field === undefined) throw new Error('there is no field');
  return readField(field, typed);
};

describe('the fields of a custom command', () => {
  it('are its properties, the required ones first, each in its own kind', () => {
    const fields = fieldsOf(
      command(
        {
          note: { type: 'string', description: 'What for' },
          count: { type: 'integer' },
          item: { enum: ['bread', 2] },
          loud: { type: 'boolean' },
          where: { type: 'array' },
        },
        ['count', 'item'],
      ),
    );
    expect(fields.map(({ name, is, isRequired, hint }) => [name, is, isRequired, hint])).toEqual([
      ['count', 'number', true, ''],
      ['item', 'choice', true, ''],
      ['note', 'text', false, 'What for'],
      ['loud', 'choice', false, ''],
      ['where', 'json', false, ''],
    ]);
  });

  it('have the kind of their role, and the reason last', () => {
    const roles = { player: 'whom', item: 'what', amount: 'many', reason: 'note', reasonRequired: true };
    const fields = fieldsOf({
      ...command({ note: {}, whom: {}, many: {}, what: { enum: ['a'] }, loud: {} }, ['whom']),
      roles,
    });
    expect(fields.map(({ name, role, is, isRequired }) => [name, role, is, isRequired])).toEqual([
      ['whom', 'player', 'text', true],
      ['many', 'amount', 'number', false],
      ['what', 'item', 'choice', false],
      ['loud', undefined, 'json', false],
      ['note', 'reason', 'text', true],
    ]);
    expect(fields.slice(-1).map((field) => readField(field, ' \n'))).toEqual([{ fault: 'missing' }]);
    expect([playerParamOf({ ...command({}), roles }), playerParamOf(command({}))]).toEqual(['whom', 'target']);
  });

  it.each([
    [{ type: 'integer', minimum: 1, maximum: 9 }, '3', { value: 3 }],
    [{ type: 'integer', minimum: 1, maximum: 9 }, '0', { fault: 'wrong' }],
    [{ type: 'integer', minimum: 1, maximum: 9 }, '10', { fault: 'wrong' }],
    [{ type: 'integer' }, '1.5', { fault: 'number' }],
    [{ type: 'integer' }, ' ', { fault: 'number' }],
    [{ type: 'integer' }, '0x10', { fault: 'number' }],
    [{ type: 'integer' }, ' -7 ', { value: -7 }],
    [{ type: 'number' }, '1.5', { value: 1.5 }],
    [{ type: 'number' }, 'x', { fault: 'number' }],
    [{ type: 'number' }, 'Infinity', { fault: 'number' }],
    [{ type: 'string', maxLength: 2 }, '😀😀', { value: '😀😀' }],
    [{ type: 'string', minLength: 2 }, '😀', { fault: 'wrong' }],
    [{ enum: ['a', 2, null] }, 'gone', { fault: 'wrong' }],
    [{ enum: ['a', 2, null] }, '2', { value: 2 }],
    [{ enum: ['a', 2, null] }, 'null', { value: null }],
    [{ type: 'boolean' }, 'false', { value: false }],
    [{ type: 'array' }, '[1]', { value: [1] }],
    [{ type: 'array' }, '[1', { fault: 'json' }],
    [{ type: 'string' }, '', { fault: 'missing' }],
  ])('say what they mean: %j, typed %j', (schema, typed, expected) => {
    expect(read(schema, typed)).toEqual(expected);
  });

  it('show no error when they are empty and optional', () => {
    expect(read({ type: 'integer' }, '', false)).toEqual({ value: undefined });
  });

  it('are none of a schema that names none', () => {
    expect(fieldsOf({ name: 'x', description: '', params: {} })).toEqual([]);
  });
});
