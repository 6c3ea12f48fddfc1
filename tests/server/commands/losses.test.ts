import { describe, expect, it } from 'vitest';
import { changeRows } from '../../kit/hub-database.ts';
import { createGate, eventually, openStage, PAY, pay } from '../../kit/stage.ts';

describe('a payment whose row the hub has lost in a crash', () => {
  it('is paid once when its caller repeats the request, and its result is kept apart', async () => {
    const gate = createGate();
    const stage = await openStage({ before: gate.pass });
    const first = stage.hub();
    void pay(first);
    await eventually(gate.reached).toBe(1);
    await first.crash();
    await changeRows(first.folder, 'DELETE FROM commands', []);
    gate.open();
    await eventually(stage.bank).toBe(PAY);
    const hub = await stage.nextHub();
    await eventually(() => hub.store.strayResults.list(hub.project.id, 'main')).toMatchObject([{ status: 'done' }]);
    const { body } = await hub.request('/api/v2/commands');
    expect(body['data']).toEqual([]);
    expect(await pay(hub)).toMatchObject({ status: 200, body: { executed: 'yes' } });
    expect(stage.economy.applied).toHaveLength(1);
    expect(stage.bank()).toBe(PAY);
  });
});
