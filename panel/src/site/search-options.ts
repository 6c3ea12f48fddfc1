import type { Options } from 'minisearch';

/** A section of a page in the search index. Its `id` is its address. */
export type Section = { id: string; page: string; heading: string; part: string; text: string; excerpt: string };

/** The build writes the index and the browser reads it with the same options. */
export const SEARCH_OPTIONS: Options<Section> = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading', 'part', 'excerpt'],
  searchOptions: {
    boost: { heading: 4, page: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: 'AND',
    // Guides and reference come before history.
    boostDocument: (_id, _term, fields) => (fields?.['part'] === 'Lab' || fields?.['part'] === 'Decisions' ? 0.4 : 1),
  },
};
