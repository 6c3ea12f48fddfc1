import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../panel/src/styles');
const sheets = readdirSync(folder)
  .filter((name) => name.endsWith('.css'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8').replaceAll(/\/\*.*?\*\//gs, '') }));

/** The declarations of these properties, as `sheet: property: value`. */
const declared = (properties: RegExp): { where: string; value: string }[] =>
  sheets.flatMap(({ name, text }) =>
    [...text.matchAll(/(?<=[;{]\s*)([a-z-]+):\s*([^;{}]+);/g)]
      .filter(([, property = '']) => properties.test(property))
      .map(([, property, value = '']) => ({ where: `${name}: ${property}: ${value}`, value })),
  );
const sizesIn = (value: string): number[] => [...value.matchAll(/(-?[\d.]+)px/g)].map(([, size]) => Number(size));

describe('the style sheets of the panel', () => {
  it('leave spaces of 4, 8, 12, 16 and 24 pixels, and inside controls of 2 and 6', () => {
    const allowed = new Set([0, 2, 4, 6, 8, 12, 16, 24]);
    const odd = declared(/^(margin|padding|gap|row-gap|column-gap)(-|$)/).filter(
      ({ value }) => !/calc|var/.test(value) && sizesIn(value).some((size) => !allowed.has(Math.abs(size))),
    );
    // Room below a list for the bar that covers its end, and in a toast for its closing button.
    const rooms = odd.filter(({ value }) => !/\b(44|48|96)px\b/.test(value));
    expect(rooms.map(({ where }) => where)).toEqual([]);
  });

  it('write in four sizes', () => {
    const sizes = new Set(declared(/^font-size$/).map(({ value }) => value));
    expect([...sizes].filter((size) => !['12px', '14px', '16px', '20px', 'inherit'].includes(size))).toEqual([]);
  });

  it('take their colours from the tokens', () => {
    const others = sheets.filter(({ name }) => name !== 'tokens.css');
    const written = others.flatMap(({ name, text }) =>
      [...text.matchAll(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/gi)].map(([colour]) => `${name}: ${colour}`),
    );
    // A filled button under the pointer is mixed with black.
    expect(written.filter((each) => !each.endsWith(': #000'))).toEqual([]);
  });
});
