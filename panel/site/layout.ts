import type { Heading, Rendered } from './markdown.ts';
import { PARTS } from './order.ts';
import type { Page } from './pages.ts';
import { escaped } from './text.ts';

/** The addresses of the files that every page loads. */
export type Assets = { script: string; style: string; index: string };

type Site = { pages: readonly Page[]; assets: Assets };

const MIN_CONTENTS = 3;

const link = (page: Page, current?: Page): string =>
  `<a href="${page.address}"${page === current ? ' aria-current="page"' : ''}>${escaped(page.title)}</a>`;

const navigation = (pages: readonly Page[], current?: Page): string =>
  PARTS.map(({ name, title }) => {
    const links = pages.filter(({ part }) => part === name).map((page) => `<li>${link(page, current)}</li>`);
    const isOpen = current === undefined || current.part === '' || current.part === name;
    return `<details${isOpen ? ' open' : ''}><summary>${title}</summary><ul>${links.join('\n')}</ul></details>`;
  }).join('\n');

const frame = ({ pages, assets }: Site, title: string, content: string, current?: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escaped(title)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="${assets.style}" />
<script src="/scheme.js"></script>
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="/docs"><img src="/favicon.svg" alt="" width="24" height="24" />Causeway<span> docs</span></a>
<search data-index="${assets.index}" hidden>
<input type="search" placeholder="Search" aria-label="Search the documentation" aria-keyshortcuts="/" autocomplete="off" spellcheck="false" />
<div class="found" hidden><p role="status"></p><ol></ol></div>
</search>
<nav aria-label="Causeway"><a href="/docs/api">API</a><a href="/">Panel</a></nav>
<button type="button" popovertarget="pages">Pages</button>
</header>
<div class="frame">
<nav id="pages" aria-label="Pages" popover>
${navigation(pages, current)}
</nav>
<main id="content" tabindex="-1">
${content}
</main>
</div>
</body>
</html>
`;

const contents = (headings: readonly Heading[]): string => {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < MIN_CONTENTS) return '';
  const links = shown.map(({ anchor, text }) => `<li><a href="#${anchor}">${escaped(text)}</a></li>`);
  return `<details class="contents" open data-fresh><summary>On this page</summary><ul>${links.join('\n')}</ul></details>\n`;
};

const neighbours = (pages: readonly Page[], current: Page): string => {
  const part = pages.filter((page) => page.part === current.part);
  const at = part.indexOf(current);
  const [before, after] = [part[at - 1], part[at + 1]];
  const previous =
    before && `<a rel="prev" href="${before.address}"><span>Previous</span> ${escaped(before.title)}</a>`;
  const next = after && `<a rel="next" href="${after.address}"><span>Next</span> ${escaped(after.title)}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next page">${previous ?? ''}${next ?? ''}</nav>`;
};

/** One page of the documentation. */
export const pageHtml = (site: Site, page: Page, { html, headings }: Rendered): string => {
  // The index is a list of contents already.
  const list = page.part === '' ? '' : contents(headings);
  const content = html.replace('</h1>\n', () => `</h1>\n${list}`);
  const more = page.part === '' ? '' : neighbours(site.pages, page);
  return frame(site, `${page.title} · Causeway`, `<article>\n${content}</article>\n${more}`, page);
};

/** The answer to an address below `/docs` that does not exist. */
export const missingHtml = (site: Site): string =>
  frame(
    site,
    'Page not found · Causeway',
    '<article><h1>There is no such page</h1><p>Search for it, or go to the <a href="/docs">list of all pages</a>.</p></article>',
  );
