import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADDRESSES, PARTS } from './order.ts';

export type Page = {
  /** From the root of the repository, with slashes. */
  file: string;
  address: string;
  /** Empty for the index, which belongs to no part. */
  part: string;
  title: string;
  markdown: string;
};

const addressOf = (file: string): string => ADDRESSES[file] ?? `/${file.replace(/\/README\.md$|\.md$/, '')}`;

/** The page of errors has a short address, because programs refer to it. */
const partOf = (address: string): string => (address === '/docs/errors' ? 'reference' : (address.split('/')[2] ?? ''));

const withoutMarks = (heading: string): string => heading.replaceAll(/[`*]/g, '').trim();

const readPage = (root: string, file: string): Page => {
  const markdown = readFileSync(join(root, file), 'utf8');
  const address = addressOf(file);
  const title = withoutMarks(/^# (.+)$/m.exec(markdown)?.[1] ?? file);
  return { file, address, part: partOf(address), title, markdown };
};

const rankOf = ({ part, address }: Page): [part: number, page: number] => {
  const at = PARTS.findIndex(({ name }) => name === part);
  const name = address === '/docs/errors' ? 'errors' : address.split('/').slice(3).join('/');
  const first = PARTS[at]?.first.indexOf(name) ?? -1;
  return [at < 0 ? PARTS.length : at, first < 0 ? Number.MAX_SAFE_INTEGER : first];
};

const inOrder = (one: Page, other: Page): number => {
  const [part, page] = rankOf(one);
  const [otherPart, otherPage] = rankOf(other);
  return part - otherPart || page - otherPage || one.file.localeCompare(other.file, 'en');
};

/** Every Markdown page of the documentation, in the order of the navigation. Lab notes stay in the repository. */
export const readPages = (root: string): Page[] => {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md') && !file.startsWith('docs/lab/'));
  const others = ['README.md', 'bridge-protocol/README.md'].filter((file) => existsSync(join(root, file)));
  return [...others, ...docs].map((file) => readPage(root, file)).toSorted(inOrder);
};
