import type { Rule } from './rules.ts';

const SHOWN = 240;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A text as one line that is safe in a terminal, cut to `length` characters. */
export const shown = (text: string, length = SHOWN): string =>
  (text.length > length ? `${text.slice(0, length)}…` : text).replaceAll(
    UNPRINTABLE,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );

/**
 * A broken rule. Without `rule` it is the first rule of the running check. Without `expected`, `saw` is a complete
 * sentence.
 */
export class Breach extends Error {
  override name = 'Breach';
  readonly rule: Rule | undefined;
  constructor({ rule, expected, saw }: { rule?: Rule | undefined; expected?: string; saw: string }) {
    super(expected === undefined ? shown(saw) : `expected ${expected}; saw ${shown(saw)}`);
    this.rule = rule;
  }
}

/** A check that could not be carried out; the message contains the reason. */
export class NotTried extends Error {
  override name = 'NotTried';
}

const UNDECLARED = 'the bridge does not declare ';

/** Why commands were not tried that the bridge does not have. */
export const undeclared = (...tags: string[]): string => `${UNDECLARED}${tags.join(', ')}`;

/** Maximum number of stored breaches for each rule. */
const BREACHES = 3;

/** Each reason once; commands that the bridge does not declare are one reason. */
const merged = (reasons: readonly string[]): string[] => {
  const isUndeclared = (why: string): boolean => why.startsWith(UNDECLARED);
  const tags = reasons.filter(isUndeclared).flatMap((why) => why.slice(UNDECLARED.length).split(', '));
  const all = undeclared(...[...new Set(tags)].sort());
  return [...new Set(reasons.map((why) => (isUndeclared(why) ? all : why)))];
};

type Skip = { check: string; why: string };

const listAt = <T>(lists: Map<Rule, T[]>, rule: Rule): T[] => {
  const list = lists.get(rule) ?? [];
  lists.set(rule, list);
  return list;
};

/** The findings for each rule. */
export const createFindings = () => {
  const breaches = new Map<Rule, Breach[]>();
  const skips = new Map<Rule, Skip[]>();
  const kept = new Set<Rule>();

  return {
    /** Records that a check tried the rule and the bridge kept it. */
    kept: (rule: Rule): void => {
      kept.add(rule);
    },
    broken: (rule: Rule, breach: Breach): void => {
      const list = listAt(breaches, rule);
      const isNew = list.every(({ message }) => message !== breach.message);
      if (isNew && list.length < BREACHES) list.push(breach);
    },
    skipped: (rule: Rule, skip: Skip): void => {
      listAt(skips, rule).push(skip);
    },
    isKept: (rule: Rule): boolean => kept.has(rule),
    breaches: (rule: Rule): readonly Breach[] => breaches.get(rule) ?? [],
    /** Why checks did not try the rule. */
    reasons: (rule: Rule): readonly string[] => merged((skips.get(rule) ?? []).map(({ why }) => why)),
  };
};
export type Findings = ReturnType<typeof createFindings>;
