import { describe, expect, it } from 'vitest';
import { areMixed, countOf } from '../../panel/src/orders/stacks.ts';

const phones = (count: number, metadata: Record<string, unknown> = {}, slot = 1) => ({
  slot,
  name: 'phone',
  label: 'Phone',
  count,
  metadata,
});
const BREAD = { slot: 9, name: 'bread', label: 'Bread', count: 4, metadata: { fresh: true } };

describe('the count of an item', () => {
  it('has all stacks, or those with equal metadata in any order', () => {
    const held = [phones(2), phones(3, { a: 1, b: { d: [1], c: null } }, 2), BREAD];
    expect(countOf(held, 'phone')).toBe(5);
    expect(countOf(held, 'phone', {})).toBe(2);
    expect(countOf(held, 'phone', { b: { c: null, d: [1] }, a: 1 })).toBe(3);
    expect(countOf(held, 'phone', { a: 2 })).toBe(0);
    expect(countOf(held, 'radio')).toBe(0);
  });
});

describe('items that were given', () => {
  it.each([
    ['are the only ones', [phones(2)], 2, false],
    ['are gone', [], 2, false],
    ['are plain, and some are used up', [phones(1)], 2, false],
    ['got the same metadata as all others', [phones(5, { quality: 100 })], 5, false],
    ['lie beside one with a number of its own', [phones(1), phones(1, { number: 5 }, 2)], 2, true],
    ['are used up, and one with a number of its own is left', [phones(1, { number: 5 })], 2, true],
    ['have metadata that differ', [phones(1, { quality: 100 }), phones(1, { quality: 40 }, 2)], 2, true],
  ])('that %s: mixed with others?', (_what, held, after, isMixed) => {
    expect(areMixed([...held, BREAD], 'phone', after)).toBe(isMixed);
  });
});
