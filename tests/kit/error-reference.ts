import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PUBLIC_CODES } from '../../server/commands/view.ts';
import { ERRORS, type ErrorCode } from '../../server/platform/errors.ts';

const root = join(import.meta.dirname, '../..');
export const ERROR_REFERENCE_FILE = join(root, 'docs/reference/errors.md');

type Text = { cause: string; do?: string[]; example?: Record<string, unknown> };

/** The groups of the page with their codes, and the text of each code in error-texts.yaml. */
export const readErrorTexts = (): Record<string, Record<string, Text>> =>
  parse(readFileSync(join(root, 'server/platform/error-texts.yaml'), 'utf8')) as Record<string, Record<string, Text>>;

const INTRO = `<!-- Made by \`npm run docs:errors\` from server/platform/errors.ts and error-texts.yaml. Do not edit. -->

# Errors

Every error of the hub is \`application/problem+json\` (RFC 9457) with one of the codes on this page. A code never changes its
meaning. Programs decide by \`code\`; \`title\` and \`detail\` are for people.

\`\`\`json
{
  "type": "/docs/errors#player_offline",
  "title": "${ERRORS.player_offline.title}",
  "status": 409,
  "detail": "char1:5f3a9c is not online. ${ERRORS.player_offline.remedy}",
  "instance": "/api/v2/bridge/main/kick",
  "code": "player_offline",
  "requestId": "req_1kbs8m2q7000h3v9x2m4c7pq",
  "executed": "no",
  "retryable": true,
  "command": { "id": "cmd_4c1fa0e87c3f0c7a1b92d5e6f7a8b9c0d1e2f3a4", "status": "rejected" }
}
\`\`\`

- \`executed\`: whether the command took effect: \`yes\`, \`no\` or \`unknown\`. For other requests, \`no\` means that nothing changed.
- \`retryable\`: whether the same request may succeed later without a change by you.
- \`command\`: the command that the hub has stored for this request. Its \`Idempotency-Key\` is used up:
  [how that works](api.md#idempotency-key-send-one-with-money-always). “Stored as” below is its \`error.code\`.
- Bridges that connect get only \`type\`, \`title\`, \`status\`, \`detail\` and \`code\`.
`;

/** The reaction of a program to an answer with this code. */
const retryRule = (code: ErrorCode): string => {
  const { executed, retryable, status } = ERRORS[code];
  if (executed === 'unknown') return 'only with the same `Idempotency-Key`';
  if (!retryable) return 'after a change';
  return status === 429 || status === 503 ? 'after `Retry-After`' : 'later';
};

const overviewOf = (group: string, codes: ErrorCode[]): string =>
  `- **${group}:** ${codes.map((code) => `[\`${code}\`](#${code})`).join(', ')}`;

/** The codes of a bridge that callers see as this one. */
const fromBridge = (code: ErrorCode): string[] =>
  Object.entries(PUBLIC_CODES).flatMap(([stored, shown]) => (shown === code ? [`\`${stored}\``] : []));

const sectionOf = (code: ErrorCode, { cause, do: steps, example }: Text): string => {
  const { status, title, remedy, executed } = ERRORS[code];
  const stored = fromBridge(code);
  const parts = [
    `## ${code}`,
    `**${status}**, executed \`${executed}\`. Repeat ${retryRule(code)}.`,
    `**${title}.** ${cause}`,
    (steps ?? [remedy]).map((step) => `- ${step}`).join('\n'),
  ];
  if (example !== undefined) parts.push(`\`\`\`json\n${JSON.stringify({ code, ...example }, null, 2)}\n\`\`\``);
  if (stored.length > 0) parts.push(`Stored as ${stored.join(', ')}.`);
  return parts.join('\n\n');
};

/** The error reference as Markdown: the code's own table, with the texts that only a person can write. */
export const renderErrorReference = (): string => {
  const groups = Object.entries(readErrorTexts());
  const overviews = groups.map(([group, texts]) => overviewOf(group, Object.keys(texts) as ErrorCode[]));
  const sections = groups.flatMap(([, texts]) =>
    Object.entries(texts).map(([code, text]) => sectionOf(code as ErrorCode, text)),
  );
  return `${[INTRO.trimEnd(), overviews.join('\n'), ...sections].join('\n\n')}\n`;
};
