import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DIAGRAMS, diagramFile, sourcesOf } from '../panel/site/diagrams.ts';
import { PARTS } from '../panel/site/order.ts';
import { readPages } from '../panel/site/pages.ts';
import { ROOT } from './kit/pages.ts';

const diagrams = readPages(ROOT).flatMap(({ file, markdown }) =>
  sourcesOf(markdown).map((source) => ({ file, source })),
);

describe('the order of the pages', () => {
  it('names pages that exist, and every part', () => {
    const pages = readPages(ROOT);
    const addresses = new Set(pages.map(({ address }) => address));
    const named = PARTS.flatMap(({ name, first }) => first.map((page) => `/docs/${name}/${page}`.replace(/\/$/, '')));
    const missing = named.filter((address) => !addresses.has(address.replace('/reference/errors', '/errors')));
    expect(missing).toEqual([]);
    const parts = new Set(pages.map(({ part }) => part));
    expect([...parts].toSorted()).toEqual(['', ...PARTS.map(({ name }) => name)].toSorted());
    expect(addresses.size).toBe(pages.length);
  });
});

describe('the diagrams of the documentation', () => {
  it('are found', () => {
    expect(diagrams.length).toBeGreaterThan(5);
  });

  it.each(diagrams)('of $file are drawn as they are written (if not: npm run docs:diagrams)', ({ source }) => {
    const file = join(ROOT, diagramFile(source));
    expect(existsSync(file)).toBe(true);
    const svg = readFileSync(file, 'utf8');
    // The content policy of the hub refuses inline styles; fixed colours would not follow the dark scheme.
    expect(svg).not.toMatch(/<style|style=|class=|<foreignObject|="(#|rgb)/);
    expect(svg).toMatch(/^<svg .*var\(--diagram-/s);
    const [, top = '', height = ''] = /viewBox="\S+ (\S+) \S+ (\S+)"/.exec(svg) ?? [];
    const ends = [...svg.matchAll(/<line [^>]*y2="([^"]+)"/g)].map(([, y2]) => Number(y2));
    expect(ends.filter((y2) => y2 > Number(top) + Number(height))).toEqual([]);
  });

  it('have no file that no page shows', () => {
    const shown = new Set(diagrams.map(({ source }) => diagramFile(source)));
    const files = readdirSync(join(ROOT, DIAGRAMS)).map((name) => `${DIAGRAMS}/${name}`);
    expect(files.filter((file) => !shown.has(file))).toEqual([]);
  });
});
