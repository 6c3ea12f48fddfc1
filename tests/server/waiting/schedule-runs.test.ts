import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { eventually, rewrite } from '../../kit/stage.ts';
import { ANA, come, connect, makeSchedule, PARAMS, runsOf, statusesOf, TASK } from './schedule-stage.ts';

describe('a run of a schedule', () => {
  it.each([
    ['another amount', { ...TASK, params: { ...TASK.params, amount: 7 } }],
    ['a batch', { ...TASK, params: PARAMS, targets: [ANA] }],
  ])('that a killed hub has made is not made again of %s', async (_what, task) => {
    const hub = await startHub();
    await connect(hub);
    const id = await makeSchedule(hub);
    hub.stopAt({ statement: 'commands.insert', when: 'after' });
    await come(hub, id);
    await eventually(hub.hasStopped).toBe(true);
    await hub.crash();

    const next = await startHub({ folder: hub.folder });
    expect((await next.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json: { task } })).status).toBe(200);
    const { paid } = await connect(next, hub.token);
    await eventually(paid).toBe(1);
    await rewrite(next, 'UPDATE schedule_runs SET touched_at = ?', 0);
    await eventually(() => statusesOf(next, id)).toEqual(['done']);
    const [run] = await runsOf(next, id);
    expect((await next.request(`/api/v2/commands/${run?.made}`)).body).toMatchObject({ status: 'succeeded' });
    expect(paid()).toBe(1);
  });
});
