import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { chooseChecks } from '../../../conformance/checks/choose.ts';
import { RULES, UNSEEN } from '../../../conformance/judges/rules.ts';
import { EFFECT_FAULTS } from '../effect-faults.ts';
import { FAULTS } from '../faults.ts';
import { ROUND_FAULTS } from '../round-faults.ts';
import { STAFF_FAULTS } from '../staff-faults.ts';

const specification = readFileSync(new URL('../../../bridge-protocol/README.md', import.meta.url), 'utf8');
const { before, last } = chooseChecks(undefined);
const checks = [...before, ...last];

it('has the rules of the checklist and no other', () => {
  const numbered = [...specification.matchAll(/^- \*\*(R\d+)\.\*\* /gm)].map(([, rule]) => rule);
  expect(Object.keys(RULES)).toEqual(numbered);
});

it('gives each check a name of its own', () => {
  const names = checks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it('finds a bridge that breaks a rule for every rule that can be seen', () => {
  const planted = [...EFFECT_FAULTS, ...ROUND_FAULTS, ...STAFF_FAULTS].map(({ rule }) => rule);
  const broken = new Set<string>([...FAULTS.map(([rule]) => rule), ...planted]);
  const hidden = ['R2', 'R36', 'R37'];
  expect(Object.keys(RULES).filter((rule) => !broken.has(rule))).toEqual(hidden);
  for (const rule of hidden) expect(UNSEEN).toHaveProperty(rule);
});
