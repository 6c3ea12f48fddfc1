import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const PARAMS = { type: 'bank', amount: 5, action: 'add' };
const TASK = { name: 'money', params: { target: ANA, ...PARAMS } };
const DAILY = { cron: '0 3 * * *', timeZone: 'UTC' };

const make = (hub: TestHub) =>
  hub.request('/api/v2/schedules', { json: { serverId: 'main', label: 'Salary', task: TASK, when: DAILY } });

/** Connects a bridge with Ana, and counts the payments. */
const connect = async (hub: TestHub, token: string): Promise<() => number> => {
  let paid = 0;
  const bridge = await welcomeRaw(hub.bridgeUrl, token);
  answerAll(bridge, () => {
    paid += 1;
    return { status: 'done', data: { account: 'bank', before: 0, after: 5 }, sequence: paid };
  });
  const players = [playerFrame(ANA)];
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  return () => paid;
};

describe('a run of a schedule', () => {
  it.each([
    ['another amount', { ...TASK, params: { ...TASK.params, amount: 7 } }],
    ['a batch', { ...TASK, params: PARAMS, targets: [ANA] }],
  ])('that a killed hub has made is not made again of %s', async (_what, task) => {
    const hub = await startHub();
    await connect(hub, hub.token);
    const id = String((await make(hub)).body['id']);
    hub.stopAt({ statement: 'commands.insert', when: 'after' });
    await rewrite(hub, 'UPDATE schedules SET next_at = ?', Date.now());
    await eventually(hub.hasStopped).toBe(true);
    await hub.crash();

    const next = await startHub({ folder: hub.folder });
    const path = `/api/v2/schedules/${id}`;
    expect((await next.request(path, { method: 'PATCH', json: { task } })).status).toBe(200);
    const paid = await connect(next, hub.token);
    await eventually(paid).toBe(1);
    await rewrite(next, 'UPDATE schedule_runs SET touched_at = ?', 0);
    const runs = async () => (await next.request(`${path}/runs`)).body['data'] as { status: string; made: string }[];
    await eventually(async () => (await runs()).map(({ status }) => status)).toEqual(['done']);
    const [{ made } = { made: '' }] = await runs();
    expect((await next.request(`/api/v2/commands/${made}`)).body).toMatchObject({ status: 'succeeded' });
    expect(paid()).toBe(1);
  });
});
