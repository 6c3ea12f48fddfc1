import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Every page below docs/, by its path. */
export const PAGES = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => `docs/${path.replaceAll('\\', '/')}`);

/** The text of each `##` section by its heading, without the text before the first heading. */
export const sectionsOf = (markdown: string): Map<string, string> =>
  new Map(
    markdown
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split('\n', 1)[0]?.trim() ?? '', section]),
  );

export const withoutCode = (markdown: string): string => markdown.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, '');
