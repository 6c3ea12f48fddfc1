import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WORLDS, type World } from './frameworks.ts';
import { openWorld } from './stage.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pageOf = (name: string): string => read(`docs/reference/frameworks/${name}.md`);
const sources = ['bridge', 'bridge-protocol']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => /\.(ts|lua)$/.test(path))
  .map(read)
  .join('\n');

describe('the pages of the resource', () => {
  it.each([...WORLDS.map(({ name }) => name), 'standalone'])(
    'have one for %s, under the name that its setting takes',
    (name) => {
      expect(pageOf(name)).toContain(`nown as \`${name}\``);
      for (const overview of ['guides/fivem/install', 'reference/frameworks'])
        expect(read(`docs/${overview}.md`)).toContain(`frameworks/${name}.md)`);
      expect(sources).toContain(`name = '${name}'`);
    },
  );

  const TOLD = WORLDS.flatMap(({ name, isOfflinePaid }) => {
    const [, told = ''] = /\| class \| `(\w+)`/.exec(pageOf(name)) ?? [];
    return [{ name, told, isOfflinePaid }];
  });
  it.each(TOLD)(
    'tell of $name the class that it declares, and whether offline players are paid',
    async ({ name, told, isOfflinePaid }) => {
      const { hub } = await openWorld(WORLDS.find((world) => world.name === name) as World);
      expect((await hub.request('/api/v2/servers/main')).body).toMatchObject({ bridge: { journalClass: told } });
      const [, away = ''] = /\| offline players \| (.+) \|/.exec(pageOf(name)) ?? [];
      expect(/^paid/.test(away)).toBe(isOfflinePaid);
    },
  );

  it('explain lines that the console really shows', () => {
    const lines = [...read('docs/guides/fivem/troubleshooting.md').matchAll(/^\| `([^`]+)`/gm)].map(
      ([, line = '']) => line,
    );
    expect(lines.length).toBeGreaterThan(8);
    const words = lines
      // The values in the text differ each time.
      .flatMap((line) =>
        line.split(/…|<resource>|esx 1\.13\.5|bank, black_money, money|401|4509|warn: |error: |^stopped: /),
      )
      .map((part) => part.trim())
      .filter((part) => /[a-z]{3}/.test(part) && !part.startsWith(', accounts'));
    expect(words.filter((part) => !sources.includes(part))).toEqual([]);
  });
});
