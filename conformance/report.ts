import { type Findings, shown } from './judges/findings.ts';
import type { Hello } from './judges/frames.ts';
import { RULES, type Rule, UNSEEN } from './judges/rules.ts';
import type { Cast } from './stage/purse.ts';

export type Verdict = { rule: Rule; outcome: 'pass' | 'fail' | 'not tried'; text: string };

/** The result of verify. */
export type Report = {
  bridge: Pick<Hello, 'software' | 'commands' | 'accounts' | 'journal'> | undefined;
  cast: Cast;
  rules: Verdict[];
  passed: number;
  failed: number;
  notTried: number;
};

const ORDER = Object.keys(RULES) as Rule[];

const verdictOn = (rule: Rule, findings: Findings): Verdict => {
  const breaches = findings.breaches(rule);
  const reasons = findings.reasons(rule);
  if (breaches.length > 0) return { rule, outcome: 'fail', text: breaches.map(({ message }) => message).join(' | ') };
  if (!findings.isKept(rule)) {
    return { rule, outcome: 'not tried', text: reasons[0] ?? UNSEEN[rule] ?? 'no check reached it' };
  }
  const rest = reasons.length === 0 ? '' : ` (in part: ${reasons.join('; ')})`;
  return { rule, outcome: 'pass', text: `${RULES[rule]}${rest}` };
};

/** The verdict on each rule in the order of the checklist. */
export const makeReport = ({
  findings,
  hello,
  cast,
  only,
}: {
  findings: Findings;
  hello: Hello | undefined;
  cast: Cast;
  only: readonly Rule[] | undefined;
}): Report => {
  const rules = (only === undefined ? ORDER : ORDER.filter((rule) => only.includes(rule))).map((rule) =>
    verdictOn(rule, findings),
  );
  const count = (outcome: Verdict['outcome']): number => rules.filter((verdict) => verdict.outcome === outcome).length;
  const { software, commands, accounts, journal } = { ...hello };
  const isKnown = software && commands && accounts && journal;
  return {
    bridge: isKnown ? { software, commands, accounts, journal } : undefined,
    cast,
    rules,
    passed: count('pass'),
    failed: count('fail'),
    notTried: count('not tried'),
  };
};

const SHOWN = { pass: 'pass     ', fail: 'FAIL     ', 'not tried': 'not tried' };
const LINE = 600;

/** The report as text: a line for each rule, and a line with the counts. */
export const reportLines = ({ rules, passed, failed, notTried }: Report): string[] => [
  ...rules.map(({ rule, outcome, text }) => `${rule.padEnd(3)}  ${SHOWN[outcome]}  ${shown(text, LINE)}`),
  `${passed} passed, ${failed} failed, ${notTried} not tried`,
];
