import { RE2JS } from 're2js';
import { LIMITS } from '../wire/limits.ts';

/** Whitespace as ECMA-262 has it; RE2's own is ASCII. */
const SPACE = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NOT_SPACE = String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const IN_CLASS: Record<string, string> = { '\\s': SPACE, '\\S': NOT_SPACE };
const OUTSIDE: Record<string, string> = {
  '\\s': `[${SPACE}]`,
  '\\S': `[${NOT_SPACE}]`,
  '.': String.raw`[^\n\r\x{2028}\x{2029}]`,
  '[^]': String.raw`[\x{0}-\x{10ffff}]`,
};
const TOKEN = /\\.|\[\^\]|./gsu;

/** The pattern with the parts that RE2 reads otherwise than ECMA-262 written out. */
const asRe2 = (pattern: string): string => {
  let isInClass = false;
  return pattern.replaceAll(TOKEN, (token) => {
    const written = (isInClass ? IN_CLASS : OUTSIDE)[token] ?? token;
    if (token === '[') isInClass = true;
    if (token === ']') isInClass = false;
    return written;
  });
};

type Compiled = { matches: (text: string) => boolean; size: number };

const compile = (pattern: string): Compiled => {
  const engine = RE2JS.compile(asRe2(pattern));
  return { matches: (text) => engine.matches(text), size: engine.programSize() };
};

/** Long repetitions make a program large: most of them are seen before it is compiled. */
const isHuge = (pattern: string): boolean => {
  const counts = [...pattern.matchAll(/\{(\d+),?(\d*)\}/g)];
  return counts.reduce((sum, [, least, most]) => sum + Number(most || least), 0) > LIMITS.patternInstructions;
};

/**
 * Reads a pattern of a schema: its size, or what is wrong with it. Both RE2 and ECMA-262 must be able to read it, so
 * that callers check with their own tools what the hub checks in linear time.
 */
export const readPattern = (pattern: string): { size: number } | { problem: string } => {
  if (pattern.length > LIMITS.patternLength) return { problem: `over ${LIMITS.patternLength} characters` };
  if (/\(\?[^:]/.test(pattern)) return { problem: 'of groups with ? only (?:…) is possible' };
  if (isHuge(pattern)) return { problem: 'its repetitions are too long; use maxLength' };
  try {
    // Only compiled and never used for matching, because its author decides how long a match takes.
    new RegExp(pattern, 'u').test('');
    const { size } = compile(pattern);
    return size > LIMITS.patternInstructions
      ? { problem: `over ${LIMITS.patternInstructions} instructions` }
      : { size };
  } catch {
    return { problem: 'RE2 and ECMA-262 do not both read it' };
  }
};

/** Steps for compiling a program, once for each command, and characters that its setup for each text counts as. */
const COMPILE_STEPS = 50;
const SETUP_CHARACTERS = 20;

/**
 * Matches patterns for one command within `LIMITS.patternSteps`. After that nothing is matched any more, `isSpent` is
 * true, and no answer counts.
 */
export const createMatching = () => {
  const compiled = new Map<string, Compiled>();
  let left: number = LIMITS.patternSteps;
  const programOf = (pattern: string): Compiled => {
    const known = compiled.get(pattern);
    if (known !== undefined) return known;
    const fresh = compile(pattern);
    compiled.set(pattern, fresh);
    left -= fresh.size * COMPILE_STEPS;
    return fresh;
  };
  return {
    isSpent: (): boolean => left < 0,
    /** Whether the whole text matches. */
    matches: (pattern: string, text: string): boolean => {
      if (left < 0) return false;
      const { matches, size } = programOf(pattern);
      left -= size * (text.length + SETUP_CHARACTERS);
      return left >= 0 && matches(text);
    },
  };
};
export type Matching = ReturnType<typeof createMatching>;
