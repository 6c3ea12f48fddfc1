import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES, ROOT, read, sectionsOf, withoutCode } from './kit/pages.ts';

/** The anchor of a heading on the web: letters, digits, `_` and `-`, lower case. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (path: string): string[] =>
  [...withoutCode(read(path)).matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1] ?? ''));

const beside = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bridge-lua/README.md'];

it.each([...beside, ...PAGES])('%s has no mark of a merge', (page) => {
  expect(read(page)).not.toMatch(/^(?:<{7}|={7}|>{7})/m);
});

describe('links', () => {
  it.each([...beside, 'bridge-protocol/README.md', ...PAGES])('of %s lead somewhere', (page) => {
    const targets = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
    const broken = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(ROOT, file))) return true;
        return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor);
      });
    expect(broken).toEqual([]);
  });
});

it('lists every page in docs/README.md', () => {
  const listed = read('docs/README.md');
  const others = PAGES.filter((page) => page !== 'docs/README.md' && !/^docs\/decisions\/\d/.test(page));
  expect(others.filter((page) => !listed.includes(`](${page.replace('docs/', '')})`))).toEqual([]);
});

describe('docs/guides/fivem/troubleshooting.md', () => {
  const frameworks = PAGES.filter((page) => page.startsWith('docs/reference/frameworks/'));

  it.each(['README.md', 'docs/guides/getting-started.md', 'docs/guides/fivem/install.md', ...frameworks])(
    'is linked from %s',
    (page) => {
      expect(read(page)).toContain('troubleshooting.md)');
    },
  );
});

describe('docs/decisions', () => {
  const records = PAGES.filter((page) => /^docs\/decisions\/\d/.test(page));

  it.each(records)('%s has a context, a decision and consequences, and is listed', (page) => {
    expect([...sectionsOf(read(page)).keys()]).toEqual(['Context', 'Decision', 'Consequences']);
    expect(read('docs/decisions/README.md')).toContain(`](${page.split('/').at(-1)})`);
    expect(read(page).split('\n').length).toBeLessThan(30);
  });
});
