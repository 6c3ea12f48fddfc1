import { describe, expect, it } from 'vitest';
import { commandsOf, createGate, eventually, openStage, PAY, pay } from '../../kit/stage.ts';

// SQLite cannot lose an answer; PostgreSQL can, if a connection breaks after a statement was sent.
describe('a database whose connection breaks under a statement that it carried out', () => {
  it.each([1, 3])('is asked again, and the command is sent once: %s answers lost', async (times) => {
    const stage = await openStage();
    stage.hub().loseAnswer('commands.insert', times);
    expect(await pay(stage.hub())).toMatchObject({ status: 200, body: { executed: 'yes', result: { after: PAY } } });
    expect((await stage.ending()).status).toBe('succeeded');
    expect(stage.bank()).toBe(PAY);
  });

  it('has marked what waited for its turn, and it is sent all the same', async () => {
    const gate = createGate();
    const stage = await openStage({ before: gate.pass });
    const hub = stage.hub();
    const first = pay(hub);
    await eventually(gate.reached).toBe(1);
    hub.loseAnswer('commands.dispatch', 3);
    const second = pay(hub, { 'Idempotency-Key': 'second' });
    await eventually(async () => (await commandsOf(hub)).length).toBe(2);
    gate.open();
    for (const told of [first, second]) expect(await told).toMatchObject({ status: 200, body: { executed: 'yes' } });
    expect(stage.bank()).toBe(2 * PAY);
  });

  it('and does not come back: no caller is told "no effect", because the effect may still come', async () => {
    const stage = await openStage();
    const hub = stage.hub();
    hub.loseAnswer('commands.insert', 100);
    const told = await pay(hub);
    expect(told).toMatchObject({ status: 503, body: { code: 'store_unavailable', executed: 'unknown' } });
    expect(await commandsOf(hub)).toMatchObject([{ status: 'dispatched' }]);
    await hub.crash();
    await stage.nextHub();
    expect((await stage.ending()).status).toBe('succeeded');
    await eventually(stage.bank).toBe(PAY);
    expect(await pay(stage.hub())).toMatchObject({ status: 200, body: { executed: 'yes' } });
    expect(stage.bank()).toBe(PAY);
  });
});
