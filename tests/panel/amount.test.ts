import { describe, expect, it } from 'vitest';
import { readAmount } from '../../panel/src/amount.ts';

const read = (typed: string, locale: string, max = Number.MAX_SAFE_INTEGER): number | string =>
  readAmount(typed, { locale, max });

describe('an amount', () => {
  it.each([
    ['en-GB', '1500', 1_500],
    ['en-GB', ' 007 ', 7],
    ['en-GB', '1,234,567', 1_234_567],
    ['de-DE', '1.234.567', 1_234_567],
    ['pt-BR', '1.500', 1_500],
    ['pt-PT', '1 500', 1_500],
    ['pt-PT', '12\u00a0345', 12_345],
    ['fr-FR', '1\u202f500', 1_500],
    ['en-IN', '12,34,567', 1_234_567],
    ['de-CH', '1’500', 1_500],
  ])('is read as they write it in %s: %s', (locale, typed, value) => {
    expect(read(typed, locale)).toBe(value);
  });

  it.each([
    ['en-GB', '1.500'],
    ['en-GB', '1 500'],
    ['en-GB', '1,50'],
    ['en-GB', '1,5000'],
    ['en-GB', '12,34,567'],
    ['en-GB', '0,001'],
    ['de-DE', '1,500'],
    ['de-DE', '1.50'],
    ['pt-BR', '1,500'],
    ['en-GB', ''],
    ['en-GB', '000'],
    ['en-GB', '-1'],
    ['en-GB', '1e3'],
    ['en-GB', '٣'],
  ])('is refused where it might mean something else in %s: "%s"', (locale, typed) => {
    expect(read(typed, locale)).toBe('wrong');
  });

  it('is too large from one above the limit on', () => {
    expect([read('1,000', 'en-GB', 1_000), read('1001', 'en-GB', 1_000)]).toEqual([1_000, 'large']);
    expect(read('9007199254740993', 'en-GB')).toBe('large');
    expect(read('9'.repeat(60), 'en-GB')).toBe('large');
  });
});
