import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, ROOT, readJson } from './files.ts';

type Package = { version: string; dependencies?: Record<string, string> };

const IMPORT = /\bfrom '(@[^/']+\/[^/']+|[a-z][^/']*)/g;
const rule = `\n${'-'.repeat(72)}\n\n`;

/** Packages that the panel and the pages of the documentation import. */
const imported = (folder: string): string[] =>
  filesIn(folder)
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(IMPORT)].map(([, from = '']) => from));

/** All packages that these packages need; a package inside of another one has the licence of that one. */
const closureOf = (names: Iterable<string>): string[] => {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const file = join(ROOT, 'node_modules', name, 'package.json');
    if (found.has(name) || !existsSync(file)) return;
    found.add(name);
    for (const next of Object.keys(readJson<Package>(file).dependencies ?? {})) visit(next);
  };
  for (const name of names) visit(name);
  return [...found].sort();
};

const noticeOf = (name: string): string => {
  const folder = join(ROOT, 'node_modules', name);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const { version, license = '' } = readJson<Package & { license?: string }>(join(folder, 'package.json'));
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
};

/** The licences of every package that is bundled into the hub and its pages. */
export const licences = (): string => {
  const { dependencies = {} } = readJson<Package>(join(ROOT, 'package.json'));
  const packages = closureOf([...Object.keys(dependencies), ...imported(join(ROOT, 'panel/src'))]);
  const own = `Causeway\n\n${readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim()}`;
  return `${[own, ...packages.map(noticeOf)].join(`\n${rule}`)}\n`;
};
