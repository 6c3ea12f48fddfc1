import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atEnd, shared } from '../kit/ends.ts';
import { newFolder } from '../kit/folder.ts';
import { createVictim } from '../kit/processes.ts';
import { INTERPRETERS, type Interpreter, LEDGER, LUA_PATH } from './lua.ts';
import { readVerdicts, type Verdict } from './verdicts.ts';

/** Verify cannot try these rules, or not each time; lua-rules.test.ts has a test for each. */
const TESTED_ELSEWHERE = ['R2', 'R33', 'R36', 'R37', 'R42'];
/** The example has no items, vehicles, jobs and announcements, and does not say who can play. */
const UNDECLARED = ['R54', 'R55', 'R56', 'R58', 'R60'];
const CAST = ['--target', 'char1:ana', '--other', 'char1:bo', '--kick', 'char1:cy', '--custom', 'greet {"name":"ana"}'];

const judge = async (lua: Interpreter): Promise<Verdict[]> => {
  const run = `CAUSEWAY_JOURNAL=${join(newFolder(), 'journal')} exec ${lua} ${LEDGER}`;
  const program = ['server/cli/causeway.js', 'bridge', 'verify', '--listen', '0', '--json', '--slow', '--run', run];
  const verify = createVictim([...program, ...CAST], { LUA_PATH });
  atEnd(() => verify.kill());
  verify.start();
  await verify.ended();
  const verdicts = readVerdicts(verify.said());
  if (verdicts.some(({ outcome }) => outcome === 'fail')) process.stdout.write(`${lua}: ${verify.said()}\n`);
  return verdicts;
};

// Verify mostly waits, so the interpreters are judged at the same time.
const judged = shared(async () => new Map(INTERPRETERS.map((lua) => [lua, judge(lua)])));

it.each(INTERPRETERS)(
  'keeps every rule under %s, with kills, slow checks and a kick',
  async (lua) => {
    const rules = (await judged().get(lua)) ?? [];
    const having = (wanted: Verdict['outcome']): Verdict[] => rules.filter(({ outcome }) => outcome === wanted);
    const notTried = having('not tried').map(({ rule }) => rule);
    process.stdout.write(`${lua}: ${having('pass').length} rules passed; not tried: ${notTried.join(', ')}\n`);
    expect(having('fail')).toEqual([]);
    expect(having('pass').length).toBeGreaterThanOrEqual(49);
    expect(notTried.filter((rule) => ![...TESTED_ELSEWHERE, ...UNDECLARED].includes(rule))).toEqual([]);
  },
  900_000,
);
