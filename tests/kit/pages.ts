import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Every page below docs/ that a hub serves, by its path. Lab notes stay as they were written. */
export const PAGES = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((path) => `docs/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.md') && !path.startsWith('docs/lab/'));

/** The text of each `##` section by its heading, without the text before the first heading. */
export const sectionsOf = (markdown: string): Map<string, string> =>
  new Map(
    markdown
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split('\n', 1)[0]?.trim() ?? '', section]),
  );

export const withoutCode = (markdown: string): string => markdown.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, '');
