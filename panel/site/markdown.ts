import { posix } from 'node:path';
import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { diagramOf } from './diagrams.ts';
import type { Page } from './pages.ts';
import { createAnchors, escaped } from './text.ts';

export type Heading = { depth: number; anchor: string; text: string };

type Section = { anchor: string; heading: string; text: string };

export type Rendered = { html: string; headings: Heading[]; sections: Section[] };

type Surroundings = {
  root: string;
  /** Addresses by file. */
  addresses: ReadonlyMap<string, string>;
  /** The address of a picture, or undefined if there is no such file. */
  picture: (file: string) => string | undefined;
};

/** The text of a token without its marks. */
const textOf = (token: Token): string => {
  if (token.type === 'html') return ' ';
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((row) => row.map((cell) => textsOf(cell.tokens))).join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map((item) => textsOf(item.tokens)).join(' ');
  if ('tokens' in token && token.tokens !== undefined) return textsOf(token.tokens);
  return 'text' in token ? String(token['text']) : ' ';
};

const textsOf = (tokens: readonly Token[]): string => tokens.map(textOf).join('');

/** The entries of the search: the text below each heading of the first three levels. */
const sectionsOf = (tokens: readonly Token[]): Section[] => {
  const anchors = createAnchors();
  const sections: Section[] = [];
  for (const token of tokens) {
    const last = sections.at(-1);
    if (token.type !== 'heading') {
      // A diagram's source is no prose.
      if (last !== undefined && !(token.type === 'code' && token['lang'] === 'mermaid'))
        last.text += `${textOf(token)} `;
      continue;
    }
    const heading = textOf(token);
    const anchor = anchors(heading);
    if ((token as Tokens.Heading).depth <= 3) sections.push({ anchor, heading, text: '' });
    else if (last !== undefined) last.text += `${heading} `;
  }
  return sections.map((section) => ({ ...section, text: section.text.replaceAll(/\s+/g, ' ').trim() }));
};

const rendererOf = (page: Page, { root, addresses, picture }: Surroundings, headings: Heading[]): RendererObject => {
  const anchors = createAnchors();
  const targetOf = (path: string): string => posix.normalize(posix.join(posix.dirname(page.file), path));
  return {
    heading({ tokens, depth }) {
      const text = textsOf(tokens);
      const anchor = anchors(text);
      headings.push({ depth, anchor, text });
      const inner = this.parser.parseInline(tokens);
      const label = escaped(`Link to “${text}”`);
      return `<h${depth} id="${anchor}">${inner} <a class="anchor" href="#${anchor}" aria-label="${label}">#</a></h${depth}>\n`;
    },
    code({ text, lang }) {
      const section = headings.at(-1)?.text ?? page.title;
      const diagram = lang === 'mermaid' ? diagramOf(root, text, `Diagram: ${section}`) : undefined;
      return diagram ?? `<div class="code"><pre class="box"><code>${escaped(text)}\n</code></pre></div>\n`;
    },
    table({ header, rows }) {
      const cell = ({ tokens, align, header: isHeader }: Tokens.TableCell): string => {
        // A corner without text is no header of its column.
        const tag = isHeader && tokens.length > 0 ? 'th' : 'td';
        return `<${tag}${align === null ? '' : ` class="${align}"`}>${this.parser.parseInline(tokens)}</${tag}>`;
      };
      const row = (cells: Tokens.TableCell[]): string => `<tr>${cells.map(cell).join('')}</tr>\n`;
      const head = header.some(({ tokens }) => tokens.length > 0) ? `<thead>${row(header)}</thead>` : '';
      return `<div class="box"><table>${head}<tbody>${rows.map(row).join('')}</tbody></table></div>\n`;
    },
    html: ({ text }) => text.replaceAll(/<!--[\s\S]*?-->/g, ''),
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      if (/^[a-z]+:/.test(href) || href.startsWith('#')) return `<a href="${escaped(href)}">${inner}</a>`;
      const [path = '', anchor] = href.split('#');
      const address = addresses.get(targetOf(path));
      // Source files are in the repository only.
      if (address === undefined) return `<span class="source" title="${escaped(targetOf(path))}">${inner}</span>`;
      return `<a href="${escaped(address + (anchor === undefined ? '' : `#${anchor}`))}">${inner}</a>`;
    },
    image({ href, text }) {
      const address = picture(targetOf(href));
      return address === undefined ? escaped(text) : `<img src="${address}" alt="${escaped(text)}" loading="lazy" />`;
    },
  };
};

/** A page as HTML, and what the navigation and the search need of it. */
export const renderPage = (page: Page, surroundings: Surroundings): Rendered => {
  const headings: Heading[] = [];
  const marked = new Marked({ gfm: true, renderer: rendererOf(page, surroundings, headings) });
  const tokens = marked.lexer(page.markdown);
  return { html: marked.parser(tokens), headings, sections: sectionsOf(tokens) };
};
