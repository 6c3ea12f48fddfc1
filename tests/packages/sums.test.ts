import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RELEASE, sha256 } from './installed.ts';

describe('SHA256SUMS', () => {
  it('names every file of the release with its hash', () => {
    const lines = readFileSync(join(RELEASE, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    const others = readdirSync(RELEASE).filter((name) => name !== 'SHA256SUMS');
    expect(lines).toEqual(others.sort().map((name) => `${sha256(readFileSync(join(RELEASE, name)))}  ${name}`));
  });
});
