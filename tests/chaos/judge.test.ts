import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBalances } from '../../chaos/balances.ts';
import type { Call } from '../../chaos/calls.ts';
import { type Episode, keepTimeline, timelineOf } from '../../chaos/episode.ts';
import { compare } from '../../chaos/ledgers.ts';
import { openDatabase } from '../../db/open.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import { createStore } from '../../db/store.ts';
import { commandOf } from '../kit/databases.ts';
import { newFile, newFolder } from '../kit/folder.ts';

const PLAYER = 'char1:p0';
const FROM = 1_000;

const callOf = (label: string): Call => ({
  label,
  way: 'command',
  name: 'money',
  targets: [PLAYER],
  body: { action: 'add', amount: 1 },
  key: undefined,
  afterMs: 0,
  deliver: undefined,
  expiresInSeconds: 30,
  voidAfterMs: undefined,
  isRefunded: false,
  told: [],
});

/** The judge of chaos over a framework without a ledger: it has the hub's rows and the player's balance, nothing else. */
const openCourt = async () => {
  const file = newFile('hub.db');
  const database = await openDatabase({ url: `file:${file}` });
  await database.migrate();
  const { commands } = createStore(database);
  let balance = FROM;
  const ask = async () => ({ stored: { [PLAYER]: balance }, saved: { [PLAYER]: balance } });
  const ledgers = openBalances({ hubFile: file, ask });
  onTestFinished(async () => {
    ledgers.close();
    await database.close();
  });
  /** The balance before the first run. */
  await ledgers.fresh();

  return {
    plan: (...labels: string[]): Call[] => ledgers.plan?.(labels.map(callOf)) ?? [],
    move: (by: number): void => {
      balance += by;
    },
    /** A run: its commands as the hub has them in the end, and what the judge finds wrong. */
    judge: async (calls: readonly Call[], ends: readonly Partial<CommandRow>[]): Promise<string[]> => {
      for (const [
        n,
        {
          label: reason,
          targets: [target],
          body,
        },
      ] of calls.entries()) {
        const params = { target, type: 'bank', ...body, reason };
        await commands.insert(commandOf(`cmd_${reason}`, { params, ...ends[n] }), { durable: false });
      }
      const { rows, lines, audit } = await ledgers.fresh();
      expect(rows).toHaveLength(calls.length);
      return [...compare({ calls, rows, lines, mayDoubt: () => true }), ...audit.map((each) => JSON.stringify(each))];
    },
  };
};

const DOUBT = { status: 'indeterminate' } as const;
const REFUSED = { status: 'rejected' } as const;

describe('the judge of a framework that keeps no ledger', () => {
  it('never counts the amount of an indeterminate command for another command of that player', async () => {
    const court = await openCourt();
    const first = court.plan('a', 'b');
    expect(first.map(({ body }) => body['amount'])).toEqual([1, 5]);
    expect(await court.judge(first, [DOUBT, REFUSED])).toEqual([]);
    expect(court.plan('c', 'd').map(({ body }) => body['amount'])).toEqual([5, 25]);
  });

  it('blames nothing on a refused order when an earlier one in doubt comes true', async () => {
    const court = await openCourt();
    const [doubt] = court.plan('a');
    expect(await court.judge(doubt ? [doubt] : [], [DOUBT])).toEqual([]);
    const refused = court.plan('b');
    court.move(1);
    expect(await court.judge(refused, [REFUSED])).toEqual([]);
  });

  it('nor when the refused order has the very same amount', async () => {
    const court = await openCourt();
    expect(await court.judge([callOf('a')], [DOUBT])).toEqual([]);
    court.move(1);
    expect(await court.judge([callOf('b')], [REFUSED])).toEqual([]);
  });

  it('nor when a framework undoes a stored change with the player’s old data', async () => {
    const court = await openCourt();
    court.move(1);
    expect(await court.judge([callOf('a')], [DOUBT])).toEqual([]);
    court.move(-1);
    expect(await court.judge([callOf('b')], [REFUSED])).toEqual([]);
  });

  it('finds a refused order that happened, and one in doubt that happened twice', async () => {
    const court = await openCourt();
    court.move(1);
    expect(await court.judge([callOf('a')], [REFUSED])).toEqual([
      'wrongly reported: cmd_a (a) rejected, and it happened',
    ]);
    expect(await court.judge([callOf('b')], [DOUBT])).toEqual([]);
    court.move(2);
    expect(await court.judge([callOf('c')], [REFUSED])).toEqual([
      'wrongly reported: cmd_c (c) rejected, and it happened',
    ]);
  });

  it('finds a payment that was reported and did not happen, beside an order in doubt', async () => {
    const court = await openCourt();
    expect(await court.judge([callOf('a')], [DOUBT])).toEqual([]);
    const paid = { status: 'succeeded', result: { account: 'bank', before: FROM, after: FROM + 1 } } as const;
    expect(await court.judge([callOf('b')], [paid])).toEqual([
      'wrongly reported: cmd_b (b) succeeded, and the game has no line',
    ]);
  });
});

describe('a run that failed', () => {
  it('keeps its whole timeline, and that of the run before it, in a file that no other run overwrites', async () => {
    const folder = newFolder();
    const runOf = (seed: number, problems: string[]): Episode => ({
      seed,
      faults: [],
      calls: 1,
      ended: {},
      settledMs: 1,
      isLate: false,
      problems,
      timeline: Array.from({ length: 500 }, (_, n) => `line ${n} of ${seed}`),
    });
    const lines = timelineOf(runOf(8, ['doubled: x']), runOf(7, []), 'npm run chaos -- --runs 1 --seed 8');
    const path = keepTimeline(join(folder, 'kept'), 8, lines);
    const kept = readFileSync(path, 'utf8');
    expect(kept).toContain('repeat it with: npm run chaos -- --runs 1 --seed 8\n  doubled: x\n  line 0 of 8\n');
    for (const last of ['line 499 of 8', 'run 7 was before it', 'line 499 of 7']) expect(kept).toContain(last);
    await expect.poll(() => keepTimeline(join(folder, 'kept'), 8, lines)).not.toBe(path);
    expect(readFileSync(path, 'utf8')).toBe(kept);
  });
});
