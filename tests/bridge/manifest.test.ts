import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scriptsOf } from '../fxserver/game.ts';

it('the manifest of the resource names each of its scripts once', () => {
  const read = (path: string): URL => new URL(`../../bridge/${path}`, import.meta.url);
  const scripts = scriptsOf(readFileSync(read('fxmanifest.lua'), 'utf8'));
  expect(scripts).toEqual([...new Set(scripts)]);
  expect(scripts.filter((path) => path.endsWith('.lua') && !existsSync(read(path)))).toEqual([]);
});
