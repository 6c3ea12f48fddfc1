import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_ERROR_CODES } from '../bridge-protocol/wire/messages.ts';
import { sourcesOf } from '../panel/site/diagrams.ts';
import { SCOPES } from '../server/auth/credentials.ts';
import { configSchema, readConfig } from '../server/platform/config.ts';
import { ERRORS } from '../server/platform/errors.ts';
import { createMetrics } from '../server/platform/metrics.ts';
import { renderErrorReference } from './kit/error-reference.ts';
import { startHub } from './kit/hub.ts';
import type { OpenApiDocument } from './kit/openapi.ts';
import { ROOT, read, sectionsOf } from './kit/pages.ts';

/** The names (without spaces) in the first column of every table row of a section. */
const firstColumn = (section: string | undefined): string[] =>
  [...(section ?? '').matchAll(/^\| `([^` ]+)` \|/gm)].map((match) => match[1] ?? '');

describe('docs/reference/errors.md', () => {
  it('is equal to the output of npm run docs:errors', () => {
    expect(read('docs/reference/errors.md')).toBe(renderErrorReference());
  });

  it('has one section for each code and none for anything else', () => {
    expect([...sectionsOf(read('docs/reference/errors.md')).keys()].sort()).toEqual(Object.keys(ERRORS).sort());
  });

  it('has examples that are JSON', () => {
    const examples = [...read('docs/reference/errors.md').matchAll(/^```json\n([\s\S]*?)^```$/gm)];
    expect(examples.length).toBeGreaterThan(3);
    for (const [, example = ''] of examples) expect(() => JSON.parse(example)).not.toThrow();
  });
});

describe('bridge-protocol/README.md', () => {
  it('has every code that a bridge may give', () => {
    const page = read('bridge-protocol/README.md');
    const rows = new Set([...page.matchAll(/^\| `(\w+)`[ ,].* \d{3} `\w+`/gm)].map(([, code = '']) => code));
    expect(COMMAND_ERROR_CODES.filter((code) => !rows.has(code))).toEqual([]);
  });
});

/** Files that a sequence diagram names: with their path, or after the folder of the participant or message. */
const filesIn = (diagram: string): string[] => {
  const folders = [...diagram.matchAll(/participant \w+ as ([\w/-]+\/)<br\/>(.+)$/gm)];
  const ofFolders = folders.flatMap(([, folder = '', names = '']) => names.split(', ').map((name) => folder + name));
  const rest = diagram.replaceAll(/^ *participant .*$/gm, '');
  const inText = [...rest.matchAll(/[\w./-]+\.ts\b/g)].map(([path]) => path);
  // A message may name a file of a participant without its folder.
  const isListed = (path: string): boolean => ofFolders.some((full) => full.endsWith(`/${path}`));
  return [...ofFolders, ...inText.filter((path) => !isListed(path))];
};

describe('docs/architecture.md', () => {
  it('names only files and folders that exist', () => {
    const named = [...read('docs/architecture.md').matchAll(/`([a-z][\w-]*\/[\w./-]*|\w+\.test\.ts)`/g)];
    expect(named.length).toBeGreaterThan(60);
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  const flows = sourcesOf(read('docs/architecture.md')).filter((source) => /\w\.ts\b/.test(source));

  it('names the files of four flows in diagrams', () => {
    expect(flows.length).toBe(4);
    for (const flow of flows) expect(filesIn(flow).length).toBeGreaterThan(6);
  });

  it.each(flows)('names only files that exist in its diagrams: %s', (flow) => {
    expect(filesIn(flow).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe('docs/reference/settings.md', () => {
  const settings = read('docs/reference/settings.md');

  it('has every setting and no other', () => {
    expect(firstColumn(settings).sort()).toEqual(Object.keys(configSchema.shape).sort());
  });

  it.each(Object.entries(readConfig({})))('names the default of %s', (name, value) => {
    const cell = settings
      .split('\n')
      .find((line) => line.startsWith(`| \`${name}\` |`))
      ?.split(' | ')[1];
    const shown = name === 'BACKUP_EVERY' ? `${Number(value) / 86_400_000}d` : String(value);
    expect(cell).toBe(name === 'NODE_NAME' ? "the host's name" : `\`${shown}\``);
  });
});

describe('docs/reference/monitoring.md', () => {
  it('names only log lines that the hub writes', () => {
    const sources = readdirSync(join(ROOT, 'server'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => read(join('server', path)))
      .join('\n');
    const lines = [...read('docs/reference/monitoring.md').matchAll(/^\| `([^`]+)` \| (?:error|warn) \|/gm)];
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.map(([, line = '']) => line).filter((line) => !sources.includes(`'${line}'`))).toEqual([]);
  });

  it('has every metric of the hub and no other', async () => {
    const metrics = await createMetrics().registry.getMetricsAsJSON();
    const ours = metrics.map(({ name }) => name).filter((name) => name.startsWith('causeway_'));
    const sections = sectionsOf(read('docs/reference/monitoring.md'));
    expect(firstColumn(sections.get('Metrics')).sort()).toEqual(ours.sort());
  });
});

describe('docs/reference/api.md', () => {
  const guide = read('docs/reference/api.md');

  it('has every scope', () => {
    expect(firstColumn(sectionsOf(guide).get('Keys and scopes')).sort()).toEqual([...SCOPES].sort());
  });

  it('has every endpoint of the OpenAPI document', async () => {
    const { address } = await startHub();
    const document = (await (await fetch(`${address}/api/v2/openapi.json`)).json()) as OpenApiDocument;
    const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `\`${method.toUpperCase()} ${path}\``),
    );
    expect(endpoints.length).toBeGreaterThan(0);
    expect(endpoints.filter((endpoint) => !guide.includes(endpoint))).toEqual([]);
  });

  it('has examples that are JSON', () => {
    const examples = [...guide.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(() => JSON.parse(example)).not.toThrow();
  });
});

describe('docs/explanation/security.md', () => {
  const rows = read('docs/explanation/security.md')
    .split('\n')
    .filter((line) => /^\| (?!what |number |--)/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));

  it('names for each line a test that exists', () => {
    expect(rows.length).toBeGreaterThan(30);
    const without = rows.filter(
      (cells) => !existsSync(join(ROOT, (cells.at(-1) ?? '').replaceAll('`', '').split(' › ')[0] ?? '')),
    );
    expect(without).toEqual([]);
  });
});
