import { describe, expect, it } from 'vitest';
import { type Journal, memoryJournal } from '../../../bridge-protocol/index.ts';
import type { BridgeMoment } from '../../kit/mortal-journal.ts';
import { commandsOf, eventually, openStage, PAY, pay } from '../../kit/stage.ts';

/** The journal of an atomic bridge in its database: each process that opens it finds the earlier entries. */
const atomicJournal = (): (() => Journal) => {
  const journal = memoryJournal({ class: 'atomic' });
  return () => ({ ...journal, openedAt: journal.sequence() });
};

/** Pays while the game server dies at a given moment, then starts its next process. Returns the caller's answer. */
const dieAt = async (moment: BridgeMoment, open?: () => Journal) => {
  const stage = await openStage(open && { journal: open() });
  const game = stage.game();
  game.stopAt(moment);
  const told = pay(stage.hub());
  await eventually(game.hasStopped).toBe(true);
  await game.crash();
  await stage.nextGame(open && { journal: open() });
  return { stage, told: await told, ending: await stage.ending() };
};

const PAID = { status: 200, body: { executed: 'yes' } };
const UNKNOWN = { status: 409, body: { code: 'indeterminate', executed: 'unknown' } };

describe('a bridge that is killed', () => {
  it.each([
    ['before started: the command is delivered again and takes effect', 'before started', PAID, 'succeeded', PAY],
    ['after started: it is indeterminate, and not run again', 'after started', UNKNOWN, 'indeterminate', 0],
    ['after the effect: it is indeterminate, and not run again', 'after the effect', UNKNOWN, 'indeterminate', PAY],
    ['after done, before result: its journal says what happened', 'after done', PAID, 'succeeded', PAY],
  ] as const)('%s', async (_name, moment, answer, status, bank) => {
    const { stage, told, ending } = await dieAt(moment);
    expect(told).toMatchObject(answer);
    expect(ending.status).toBe(status);
    expect(stage.bank()).toBe(bank);
  });

  it.each([
    [
      'after started: it was rolled back',
      'after started',
      { status: 503, body: { code: 'server_restarting', executed: 'no' } },
      'failed',
      0,
    ],
    ['after the effect, which is done with it: it happened once', 'after done', PAID, 'succeeded', PAY],
  ] as const)('with an atomic journal %s', async (_name, moment, answer, status, bank) => {
    const { stage, told, ending } = await dieAt(moment, atomicJournal());
    expect(told).toMatchObject(answer);
    expect(ending.status).toBe(status);
    expect(stage.bank()).toBe(bank);
  });
});

describe('a bridge whose disk is full', () => {
  it('refuses money before the effect, and pays again when there is room', async () => {
    const stage = await openStage();
    stage.game().fillDisk(true);
    const refused = await pay(stage.hub());
    expect(refused).toMatchObject({ status: 501, body: { code: 'journal_required', executed: 'no' } });
    expect(await stage.ending()).toMatchObject({ status: 'rejected' });
    expect(stage.bank()).toBe(0);
    stage.game().fillDisk(false);
    expect(await pay(stage.hub())).toMatchObject({ status: 501 });
    expect(await pay(stage.hub(), { 'Idempotency-Key': 'another' })).toMatchObject(PAID);
    expect(stage.bank()).toBe(PAY);
  });

  it('after the effect keeps the outcome until it can be written, and tells nothing before', async () => {
    const stage = await openStage({ before: async () => stage.game().fillDisk(true) });
    const told = pay(stage.hub());
    await eventually(stage.bank).toBe(PAY);
    expect(await commandsOf(stage.hub())).toMatchObject([{ status: 'dispatched', executed: 'unknown' }]);
    stage.game().fillDisk(false);
    expect(await told).toMatchObject(PAID);
    expect((await stage.ending()).status).toBe('succeeded');
  });
});
