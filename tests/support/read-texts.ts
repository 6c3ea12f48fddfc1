import * as ts from 'typescript';

/** A text that users can see. `key` names it inside its kind, if the source has a name for it. */
export type SeenText = { kind: Kind; place: string; key: string; text: string };
export const KINDS = ['errors', 'api', 'log', 'help', 'cli', 'messages', 'panel'] as const;
type Kind = (typeof KINDS)[number];
type Found = Omit<SeenText, 'place'>;

const LOG = /(?:^|\.)(?:log|logger)\.(?:debug|info|warn|error|fatal)$/;
const HELP = /\.(?:command|description|summary|option|requiredOption|argument|addHelpText)$/;
/** At least two words, or one word and a value. */
const isSentence = (text: string): boolean => /[a-z]{2}.* .*[a-z…]/i.test(text);

/** The text of a literal, or undefined: values are shown as `…`, and parts that are added with `+` are joined. */
const textOf = (node: ts.Node | undefined): string | undefined => {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    if (left !== undefined || right !== undefined) return `${left ?? '…'}${right ?? '…'}`;
  }
  return undefined;
};

const nameOf = (node: ts.PropertyAssignment): string =>
  ts.isStringLiteralLike(node.name) || ts.isIdentifier(node.name) ? node.name.text : '';

/** Title and remedy of an error code. */
const errorsIn = (node: ts.Node): Found[] => {
  if (!ts.isPropertyAssignment(node) || !ts.isCallExpression(node.initializer)) return [];
  const [, title, remedy] = node.initializer.arguments;
  return [
    ['title', textOf(title)],
    ['remedy', textOf(remedy)],
  ].flatMap(([field, text]) =>
    text === undefined ? [] : [{ kind: 'errors', key: `${nameOf(node)} ${field}`, text } satisfies Found],
  );
};

const kindIn = (place: string, node: ts.Node): Kind | undefined => {
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isPropertyAccessExpression(parent)) return undefined;
  if (ts.isCallExpression(parent)) {
    const called = parent.expression.getText();
    if (LOG.test(called)) return 'log';
    if (place.startsWith('server/cli/') && HELP.test(called)) return 'help';
  }
  const property = ts.isPropertyAssignment(parent) ? nameOf(parent) : undefined;
  if (property === 'summary' || property === 'description') return 'api';
  if (property !== undefined && place.startsWith('server/rest/')) return undefined;
  if (place.startsWith('server/cli/')) return 'cli';
  const isThrown = ts.isNewExpression(parent) || ts.isCallExpression(parent) || ts.isPropertyAssignment(parent);
  return isThrown && place.startsWith('server/') ? 'messages' : undefined;
};

/** The option of a help text, such as `--limit`. */
const optionOf = ({ parent }: ts.Node): string =>
  ts.isCallExpression(parent) ? (/--[a-z-]+/.exec(textOf(parent.arguments[0]) ?? '')?.[0] ?? '') : '';

const foundIn = (place: string, node: ts.Node): Found[] => {
  if (place.startsWith('panel/src/messages/')) {
    const text = ts.isPropertyAssignment(node) ? textOf(node.initializer) : undefined;
    return ts.isPropertyAssignment(node) && text !== undefined ? [{ kind: 'panel', key: nameOf(node), text }] : [];
  }
  if (place === 'server/platform/errors.ts' && ts.isPropertyAssignment(node)) return errorsIn(node);
  const text = textOf(node);
  if (text === undefined || (ts.isBinaryExpression(node.parent) && textOf(node.parent) !== undefined)) return [];
  const kind = kindIn(place, node);
  if (kind === undefined || (kind !== 'log' && !isSentence(text))) return [];
  return [{ kind, key: kind === 'help' ? optionOf(node) : '', text }];
};

/** Every text of a source file that a user can see. */
export const readTexts = (place: string, source: string): SeenText[] => {
  const file = ts.createSourceFile(place, source, ts.ScriptTarget.Latest, true);
  const all: SeenText[] = [];
  const visit = (node: ts.Node): void => {
    for (const found of foundIn(place, node))
      all.push({ ...found, place, text: found.text.replaceAll(/\s+/g, ' ').trim() });
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return all;
};
