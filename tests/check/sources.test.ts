import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';

const FOLDERS = 'server,db,bridge-protocol,simulator,conformance,chaos,bench,tests';
const isOurs = (path: string): boolean => !path.includes('node_modules');
const whyNot = (path: string): string[] => {
  try {
    stripTypeScriptTypes(readFileSync(path, 'utf8'));
    return [];
  } catch (error) {
    return [`${path}: ${String(error)}`];
  }
};

describe('the sources', () => {
  // Bench and long tests start a hub from them. Node.js refuses some TypeScript that the compiler takes: `for (const of of …)`.
  it('run in Node.js as they are', () => {
    const sources = globSync(`{${FOLDERS}}/**/*.ts`).filter(isOurs);
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.flatMap(whyNot)).toEqual([]);
  });

  it('would be refused with a name that Node.js does not take', () => {
    expect(() => stripTypeScriptTypes('for (const of of [1]) of;')).toThrow('cannot be empty');
  });
});
