import { describe, expect, it } from 'vitest';
import type { Moment } from '../../kit/breakable-database.ts';
import type { Answer } from '../../kit/hub.ts';
import { commandsOf, createGate, eventually, openStage, PAY, pay, rewrite, type Stage } from '../../kit/stage.ts';

const TOLD_NOTHING = undefined;

/** A hub that dies in the middle of a payment. Returns the caller's answer. */
const dieAt = async (stage: Stage, moment: Moment): Promise<Answer | undefined> => {
  const hub = stage.hub();
  hub.stopAt(moment);
  const told = pay(hub);
  await eventually(hub.hasStopped).toBe(true);
  await hub.crash();
  return told;
};

/** The bridge has nothing left that the hub has not confirmed. */
const confirmed = (stage: Stage): Promise<void> => eventually(() => stage.game().journal.open()).toEqual([]);

describe('a hub that is killed', () => {
  it('before the insert has no row, has sent nothing, and pays when the request is repeated', async () => {
    const stage = await openStage();
    expect(await dieAt(stage, { statement: 'commands.insert', when: 'before' })).toBe(TOLD_NOTHING);
    const next = await stage.nextHub();
    expect(await commandsOf(next)).toEqual([]);
    expect(stage.bank()).toBe(0);
    expect(await pay(next)).toMatchObject({ status: 200, body: { executed: 'yes' } });
    expect(stage.bank()).toBe(PAY);
  });

  it('after the insert, while the command waits for its turn, sends it when it is back', async () => {
    const stage = await openStage();
    const hub = stage.hub();
    hub.stopAt({ statement: 'commands.dispatch', when: 'before' });
    const told = await pay(hub, { Prefer: 'respond-async' });
    expect(told).toMatchObject({ status: 202, body: { code: 'accepted' } });
    await eventually(hub.hasStopped).toBe(true);
    await hub.crash();
    await stage.nextHub();
    expect(await stage.ending()).toMatchObject({ id: told?.body.id, status: 'succeeded', attempts: 1 });
    expect(stage.bank()).toBe(PAY);
  });

  it('after the insert lets a command expire whose time passes before it is back', async () => {
    const stage = await openStage();
    const hub = stage.hub();
    hub.stopAt({ statement: 'commands.dispatch', when: 'before' });
    await pay(hub, { Prefer: 'respond-async' });
    await hub.crash();
    await rewrite(hub, 'UPDATE commands SET expires_at = 1');
    const next = await stage.nextHub();
    expect(await pay(next)).toMatchObject({ status: 409, body: { code: 'expired', executed: 'no' } });
    expect((await stage.ending()).status).toBe('expired');
    expect(stage.bank()).toBe(0);
  });

  it.each([
    ['after dispatched, before any byte has left', 'commands.insert', 'after', [2]],
    // The bridge tells its result again before it is asked again, or after.
    ['after it has read the result, before it is stored', 'commands.settleKnown', 'before', [1, 2]],
    ['after it has stored the result, before it answers', 'commands.settleKnown', 'after', [1]],
  ] as const)('%s has paid once when it is back', async (_name, statement, when, attempts) => {
    const stage = await openStage();
    expect(await dieAt(stage, { statement, when })).toBe(TOLD_NOTHING);
    const next = await stage.nextHub();
    const again = await pay(next);
    expect(again).toMatchObject({ status: 200, body: { executed: 'yes', result: { before: 0, after: PAY } } });
    expect(again?.headers.get('idempotency-replayed')).toBe('true');
    const ending = await stage.ending();
    expect(ending.status).toBe('succeeded');
    expect(attempts).toContain(ending.attempts);
    expect(stage.bank()).toBe(PAY);
    await confirmed(stage);
  });

  it('after its answer, before its ack, is told the result again and confirms it', async () => {
    const gate = createGate();
    const stage = await openStage({ before: gate.pass });
    const told = pay(stage.hub());
    await eventually(gate.reached).toBe(1);
    stage.line.deafen();
    gate.open();
    expect(await told).toMatchObject({ status: 200, body: { executed: 'yes' } });
    expect(stage.game().journal.open()).toHaveLength(1);
    await stage.hub().crash();
    await stage.nextHub();
    await confirmed(stage);
    expect(await stage.ending()).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect(stage.bank()).toBe(PAY);
  });
});
