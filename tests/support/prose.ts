import ts from 'typescript';

/** A comment, a text or the name of a test, with the line where it begins. */
export type Prose = { line: number; text: string; isComment: boolean };

const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length;

/** The words of a comment, without its signs. */
const bare = (comment: string): string =>
  comment
    .replace(/^(?:\/\*\*?|\/\/|<!--|--+\[\[|--+|#)\s*/, '')
    .replace(/\s*(?:\*\/|-->)$/, '')
    .replaceAll(/\n\s*(?:\*|\/\/|--+|#)?\s?/g, ' ')
    .trim();

const isTestName = (node: ts.Node): boolean => {
  if (!ts.isCallExpression(node.parent) || node.parent.arguments[0] !== node) return false;
  return /^(?:it|describe|test)\b/.test(node.parent.expression.getText());
};

const isText = (node: ts.Node): node is ts.LiteralLikeNode =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node) ||
  ts.isJsxText(node);

/** Line comments that follow one another are one comment. */
const joined = (source: string, ranges: readonly ts.CommentRange[]): Prose[] => {
  const groups: { pos: number; end: number }[] = [];
  for (const { pos, end } of [...ranges].sort((one, other) => one.pos - other.pos)) {
    const last = groups.at(-1);
    const isNext = last !== undefined && /^\n[^\S\n]*$/.test(source.slice(last.end, pos));
    if (isNext && source.startsWith('//', last.pos) && source.startsWith('//', pos)) last.end = end;
    else groups.push({ pos, end });
  }
  return groups.map(({ pos, end }) => ({
    line: lineAt(source, pos),
    text: bare(source.slice(pos, end)),
    isComment: true,
  }));
};

const ofTypeScript = (file: string, source: string, { isTest }: { isTest: boolean }): Prose[] => {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, kind);
  const comments = new Map<number, ts.CommentRange>();
  const texts: Prose[] = [];
  const visit = (node: ts.Node): void => {
    if (!ts.isJsxText(node)) {
      const around = [ts.getLeadingCommentRanges(source, node.pos), ts.getTrailingCommentRanges(source, node.end)];
      for (const range of around.flatMap((ranges) => ranges ?? [])) comments.set(range.pos, range);
    }
    if (isText(node) && (isTest ? isTestName(node) : /\s/.test(node.text.trim()))) {
      texts.push({ line: lineAt(source, node.getStart()), text: node.text, isComment: false });
    }
    for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return [...joined(source, [...comments.values()]), ...texts];
};

const ofOthers = (file: string, source: string): Prose[] => {
  const pattern = file.endsWith('.css')
    ? /\/\*[\s\S]*?\*\//g
    : file.endsWith('.lua')
      ? /--[^\n]*(?:\n[^\S\n]*--[^\n]*)*/g
      : /(?<=^|[^\S\n])# [^\n]*(?:\n[^\S\n]*# [^\n]*)*/gm;
  const comments = [...source.matchAll(pattern)].map(({ 0: text, index }) => ({
    line: lineAt(source, index),
    text: bare(text),
    isComment: true,
  }));
  const texts = [...source.matchAll(/'[^'\n]*\s[^'\n]*'|"[^"\n]*\s[^"\n]*"/g)].map(({ 0: text, index }) => ({
    line: lineAt(source, index),
    text,
    isComment: false,
  }));
  return [...comments, ...texts];
};

/** All comments of a file, and its texts for people: of tests the names only. */
export const proseOf = (file: string, source: string): Prose[] =>
  /\.(?:ts|tsx|js|cjs)$/.test(file)
    ? ofTypeScript(file, source, { isTest: file.startsWith('tests/') })
    : ofOthers(file, source);

/** The sentences of a page, without code, tables and the addresses of links. */
export const sentencesOf = (markdown: string): string[] =>
  markdown
    .replaceAll(/^ *```[^\n]*\n[\s\S]*?^ *```$/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^ *\|.*$/gm, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)|\n(?=#)/)
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.!?]["”)*`]*) /))
    .map((sentence) => sentence.replace(/^\s*(?:[-*]|\d+\.|#+)\s+/, '').trim())
    .filter((sentence) => sentence !== '');

/** The cells of a page's tables. */
export const cellsOf = (markdown: string): string[] =>
  (markdown.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, '').match(/^ *\|.*$/gm) ?? []).flatMap((row) =>
    row.split(/(?<!\\)\|/).map((cell) => cell.trim()),
  );
