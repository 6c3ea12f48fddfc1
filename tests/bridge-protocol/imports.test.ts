import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../bridge-protocol/', import.meta.url);

const importsOf = (file: string): string[] =>
  [...readFileSync(new URL(file, folder), 'utf8').matchAll(/from '([^']+)'/g)].flatMap(([, path]) => path ?? []);

describe('the files of the protocol', () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  const portable = files.filter((file) => !file.startsWith('journal-file'));

  it.each(portable)('%s runs in any JavaScript, with nothing but zod and re2js', (file) => {
    for (const path of importsOf(file)) {
      expect(path === 'zod/mini' || path === 're2js' || portable.includes(path.replace(/^\.\//, ''))).toBe(true);
    }
    expect(readFileSync(new URL(file, folder), 'utf8')).not.toMatch(/\b(Buffer|process|setImmediate)\b[.(]/);
  });
});
