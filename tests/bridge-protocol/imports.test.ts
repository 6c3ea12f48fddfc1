import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../bridge-protocol');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/from '([^']+)'/g)].flatMap(([, path]) => path ?? []);

describe('the files of the protocol', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const portable = files.filter((file) => !/^(journal\/(?:file|writer)|ws\.ts$|dist\/|node_modules\/)/.test(file));

  it.each(portable)('%s runs in any JavaScript, with nothing but zod and es-toolkit', (file) => {
    for (const path of importsOf(file)) {
      const isPackage = ['zod/mini', 'es-toolkit/string'].includes(path);
      expect(isPackage || portable.includes(join(dirname(file), path))).toBe(true);
    }
    expect(read(file)).not.toMatch(/\b(Buffer|process|setImmediate)\b[.(]/);
  });
});
