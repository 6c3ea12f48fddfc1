import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS, type Section } from '../src/site/search-options.ts';
import type { Rendered } from './markdown.ts';
import { PARTS } from './order.ts';
import type { Page } from './pages.ts';

const EXCERPT = 140;

const excerptOf = (text: string): string =>
  text.length <= EXCERPT ? text : `${text.slice(0, EXCERPT).replace(/\s+\S*$/, '')} …`;

/** Each decision has the same three headings, so its page is one result. */
const sectionsOf = ({ part }: Page, { sections }: Rendered): Rendered['sections'] => {
  const [first] = sections;
  if (part !== 'decisions' || first === undefined) return sections;
  return [
    {
      ...first,
      text: sections
        .map(({ text }) => text)
        .join(' ')
        .trim(),
    },
  ];
};

/** The index that the browser searches, as JSON. */
export const searchIndex = (pages: readonly { page: Page; rendered: Rendered }[]): string => {
  const index = new MiniSearch<Section>(SEARCH_OPTIONS);
  for (const { page, rendered } of pages) {
    const part = PARTS.find(({ name }) => name === page.part)?.title ?? '';
    for (const [at, { anchor, heading, text }] of sectionsOf(page, rendered).entries()) {
      const id = at === 0 ? page.address : `${page.address}#${anchor}`;
      index.add({ id, page: page.title, heading, part, text, excerpt: excerptOf(text) });
    }
  }
  return JSON.stringify(index);
};
