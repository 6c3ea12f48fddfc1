import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { KINDS, readTexts, type SeenText } from './read-texts.ts';

const HEADINGS: Record<SeenText['kind'], string> = {
  errors: 'Titles and remedies of errors',
  api: 'API document',
  log: 'Log messages',
  help: 'Help of the command line',
  cli: 'Messages of the command line',
  messages: 'Other messages and details',
  panel: 'Texts of the panel',
};
/** Share of common words from which two texts count as one that was changed. */
const ALIKE = 0.34;
const CELL_WORDS = 22;

type Change = { before?: SeenText | undefined; after?: SeenText | undefined };

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

const textsAt = (commit: string): SeenText[] =>
  git('ls-tree', '-r', '--name-only', commit, 'server', 'panel/src/messages')
    .split('\n')
    .filter((path) => /\.(ts|js)$/.test(path))
    .flatMap((path) => readTexts(path, git('show', `${commit}:${path}`)));

const likeness = (one: SeenText, other: SeenText): number => {
  const [a, b] = [one, other].map(({ text }) => new Set(text.toLowerCase().match(/[\p{L}\d-]+/gu) ?? []));
  if (a === undefined || b === undefined || a.size + b.size === 0) return 0;
  const common = [...a].filter((word) => b.has(word)).length;
  const isSameFile = basename(one.place) === basename(other.place);
  const isSameKey = one.key !== '' && one.key === other.key;
  return (2 * common) / (a.size + b.size) + (isSameFile ? 0.1 : 0) + (isSameKey ? 1 : 0);
};

/** Texts of `some` that `others` does not have. */
const without = (some: readonly SeenText[], others: readonly SeenText[]): SeenText[] => {
  const known = new Set(others.map(({ kind, text }) => `${kind} ${text}`));
  return [...new Map(some.map((each) => [`${each.place} ${each.key} ${each.text}`, each])).values()].filter(
    ({ kind, text }) => !known.has(`${kind} ${text}`),
  );
};

/** Pairs the most alike texts first. */
const paired = (removed: readonly SeenText[], added: readonly SeenText[]): Change[] => {
  const pairs = removed
    .flatMap((before) => added.map((after) => ({ before, after, likeness: likeness(before, after) })))
    .filter((pair) => pair.likeness >= ALIKE)
    .toSorted((one, other) => other.likeness - one.likeness);
  const taken = new Set<SeenText>();
  const changes: Change[] = [];
  for (const { before, after } of pairs) {
    if (taken.has(before) || taken.has(after)) continue;
    changes.push({ before, after });
    taken.add(before).add(after);
  }
  const rest = (side: readonly SeenText[]) => side.filter((each) => !taken.has(each));
  return [...changes, ...rest(removed).map((before) => ({ before })), ...rest(added).map((after) => ({ after }))];
};

/** The panel's keys name their texts, so these are compared by language and key. */
const pairedByKey = (before: readonly SeenText[], after: readonly SeenText[]): Change[] => {
  const keyOf = ({ place, key }: SeenText): string => `${place} ${key}`;
  const old = new Map(before.map((each) => [keyOf(each), each]));
  const now = new Map(after.map((each) => [keyOf(each), each]));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => ({ before: old.get(key), after: now.get(key) }))
    .filter((change) => change.before?.text !== change.after?.text);
};

/** A table cell has at most 25 words: longer texts begin shortly before their first difference. */
const cell = (text: string | undefined, other: string | undefined): string => {
  if (text === undefined) return '—';
  const words = text.split(' ');
  const others = other?.split(' ') ?? [];
  const first = words.findIndex((word, index) => word !== others[index]);
  const from = words.length <= CELL_WORDS || first < 4 ? 0 : first - 3;
  const part = words.slice(from, from + CELL_WORDS).join(' ');
  const isCut = from + CELL_WORDS < words.length;
  return `${from > 0 ? '[…] ' : ''}${part.replaceAll('|', '\\|')}${isCut ? ' […]' : ''}`;
};

const rowOf = ({ before, after }: Change): string => {
  const { place, key } = after ?? before ?? { place: '', key: '' };
  return `| \`${place}\`${key === '' ? '' : ` \`${key}\``} | ${cell(before?.text, after?.text)} | ${cell(after?.text, before?.text)} |`;
};

const render = (from: string, to: string): string => {
  const [old, now] = [textsAt(from), textsAt(to)];
  const sections = KINDS.map((kind) => {
    const ofKind = (texts: readonly SeenText[]) => texts.filter((each) => each.kind === kind);
    const isKeyed = kind === 'panel' || kind === 'errors';
    const changes = isKeyed
      ? pairedByKey(ofKind(old), ofKind(now))
      : paired(without(ofKind(old), ofKind(now)), without(ofKind(now), ofKind(old)));
    const rows = changes.map(rowOf).toSorted();
    const table = rows.length === 0 ? ['None changed.'] : ['| place | before | after |', '|---|---|---|', ...rows];
    return [`## ${HEADINGS[kind]}`, '', `${rows.length} of ${ofKind(now).length} texts.`, '', ...table, ''].join('\n');
  });
  return `# Changed texts

Texts that users can see, compared between commit ${from} and commit ${to}. \`npm run docs:texts\` generated this page from the source
code. A dash means that the text has no counterpart: it was added, removed, or changed too much to be matched. \`…\` stands for a
value, \`[…]\` for words that are left out. Error codes, statuses and names of log fields did not change with these texts.

${sections.join('\n')}`;
};

const [from, to = 'HEAD', file] = process.argv.slice(2);
if (from === undefined || file === undefined) throw new Error('npm run docs:texts -- <from> <to> <file>');
const [short, until] = [from, to].map((commit) => git('rev-parse', '--short=7', commit).trim());
writeFileSync(file, render(short ?? from, until ?? to));
