import type { Breach } from './breach.ts';
import type { Rule } from './rules.ts';

/** Breaches of one rule that are kept. */
const BREACHES = 3;

type Skip = { check: string; why: string };

const listAt = <T>(lists: Map<Rule, T[]>, rule: Rule): T[] => {
  const list = lists.get(rule) ?? [];
  lists.set(rule, list);
  return list;
};

/** What was found out about each rule. */
export const createFindings = () => {
  const breaches = new Map<Rule, Breach[]>();
  const skips = new Map<Rule, Skip[]>();
  const kept = new Set<Rule>();

  return {
    /** The rule was tried, and kept. */
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
    skips: (rule: Rule): readonly Skip[] => skips.get(rule) ?? [],
  };
};
export type Findings = ReturnType<typeof createFindings>;
