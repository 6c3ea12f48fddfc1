import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_STATUSES } from '../../db/schema/commands.ts';
import { first } from '../../panel/src/messages/en/first.ts';
import { SCOPES } from '../../server/auth/credentials.ts';
import { ERRORS } from '../../server/platform/errors.ts';
import { de, en, pt } from '../kit/messages.ts';

const folder = join(import.meta.dirname, '../../panel/src');
const keys = Object.keys(en) as (keyof typeof en)[];
const blanksOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/^(messages\/|api-types)/.test(name))
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .join('\n');

/** Families of which the rest of the key is only known when the panel runs. */
const FAMILIES =
  /^(action|lost|unanswered|dashboard\.range|players\.(balance|column)|rhythm|run|code|scope|status|outcome|menu\.theme|nav|palette|server\.database|project\.health|dialog\.(kick|give|take|giveItem|takeItem|giveVehicle|takeVehicle|storeVehicle|job|message|revive|heal|freeze|unfreeze|teleport|announce)|custom\.field|keys\.(group|preset|presetSays)|journal\.range|command\.(money|items)|event|webhooks\.(format|last|off|state)|shops\.(grace|hint|kind|outcome|reason|secretHint|state))\./;

describe.each([
  ['pt', pt],
  ['de', de],
])('the texts in %s', (_language, texts) => {
  it('are all there, with the same blanks, and translated', () => {
    expect(Object.keys(texts)).toEqual(keys);
    for (const key of keys) {
      expect(texts[key].trim(), key).not.toBe('');
      expect(blanksOf(texts[key]), key).toEqual(blanksOf(en[key]));
    }
    const same = keys.filter((key) => texts[key] === en[key] && en[key].includes(' '));
    // A number and the sign of its unit are written alike.
    expect(same.filter((key) => !['server.ms', 'players.hours', 'players.days'].includes(key))).toEqual([]);
  });
});

describe('the catalogue', () => {
  it('has a text for every name of the hub', () => {
    const wanted = [
      ...SCOPES.map((scope) => `scope.${scope}`),
      ...COMMAND_STATUSES.map((status) => `status.${status}`),
    ];
    expect(wanted.filter((key) => !keys.includes(key as keyof typeof en))).toEqual([]);
  });

  it('has words for every refusal that a page can meet', () => {
    // Of bridges, and of requests that the panel does not send.
    const others = [
      'malformed_http',
      'expectation_failed',
      'malformed_json',
      'missing_api_key',
      'method_not_allowed',
      'unsupported_media_type',
      'idempotency_mismatch',
      'unsupported_protocol',
      'invalid_token',
      'node_full',
    ];
    const wanted = Object.keys(ERRORS).filter((code) => !others.includes(code));
    expect(wanted.filter((code) => !Object.hasOwn(en, `code.${code}`))).toEqual([]);
  });

  it('has both forms of everything that is counted', () => {
    const counted = keys.filter((key) => key.endsWith('.one'));
    expect(
      counted.map((key) => key.replace(/one$/, 'other')).filter((key) => !keys.includes(key as keyof typeof en)),
    ).toEqual([]);
  });

  it('has no unused text', () => {
    const unused = keys.filter(
      (key) => !FAMILIES.test(key) && !sources.includes(`'${key.replace(/\.(one|other)$/, '')}'`),
    );
    expect(
      unused.filter(
        (key) =>
          !/^(keys\.(rotate|revoke)|servers\.(rotate|disable)|webhooks\.(test|pause|resume|rotate|remove))(Says)?$/.test(
            key,
          ),
      ),
    ).toEqual([]);
  });

  it('is the only place with words', () => {
    // Text between tags that is not an expression: at least two letters in a row.
    const bare = [...sources.matchAll(/>\s*([A-Z][a-z]{2,}[^<>{}]*)<\//g)].map((match) => match[1]);
    expect(bare.filter((text) => text !== 'Causeway')).toEqual([]);
  });
});

describe('the texts of sign-in and Players', () => {
  /** Every file that is loaded with the first page, by the imports that are not made later. */
  const loaded = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file) || /messages|api-types|clients/.test(file)) return seen;
    seen.add(file);
    const imports = readFileSync(file, 'utf8').matchAll(/^import (?!type )[^;]*?from '(\.[^']+\.tsx?)';/gms);
    for (const [, other = ''] of imports)
      if (!other.includes('bridge-protocol')) loaded(join(dirname(file), other), seen);
    return seen;
  };
  const early = [...loaded(join(folder, 'main.tsx'))].map((file) => readFileSync(file, 'utf8')).join('\n');

  it('are all there before the page is', () => {
    const families = [...early.matchAll(/`([a-z][A-Za-z]*\.(?:[A-Za-z]+\.)?)\$\{/g)].map(([, family = '']) => family);
    expect(families).toContain('code.');
    const isEarly = (key: string): boolean =>
      early.includes(`'${key.replace(/\.(one|other)$/, '')}'`) || families.some((family) => key.startsWith(family));
    expect(keys.filter((key) => isEarly(key) && !Object.hasOwn(first, key))).toEqual([]);
  });
});
