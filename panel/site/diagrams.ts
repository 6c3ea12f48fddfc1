import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escaped } from './text.ts';

/** Where rendered diagrams are kept, from the root. */
export const DIAGRAMS = 'docs/diagrams';

/** The sources of the diagrams in a page. */
export const sourcesOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)].map(([, source = '']) => source.trim());

/** The file of a rendered diagram is named by a hash of its source, so a changed source has no file. */
export const diagramFile = (source: string): string =>
  `${DIAGRAMS}/${hash('sha256', source.trim(), 'hex').slice(0, 12)}.svg`;

/** A diagram as HTML, or undefined if `npm run docs:diagrams` has not rendered it yet. */
export const diagramOf = (root: string, source: string, label: string): string | undefined => {
  const file = join(root, diagramFile(source));
  if (!existsSync(file)) return undefined;
  const svg = readFileSync(file, 'utf8').replace('<svg ', `<svg role="img" aria-label="${escaped(label)}" `);
  const text = `<details><summary>The diagram as text</summary><pre class="box"><code>${escaped(source)}\n</code></pre></details>`;
  return `<figure><div class="box">${svg}</div>${text}</figure>\n`;
};
